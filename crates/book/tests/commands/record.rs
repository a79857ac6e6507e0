//! `data/claims.jsonl`: what the book says of it, and how `book claims --record` keeps it. Each test works
//! on a copy of the fixture book, which has no such file.

use crate::copy::{Copy, DATA, PAGE};
use book::history;
use book::record::{self, update};
use mdbook_measured::claim::records::ClaimRecord;

const RECORDS: &str = "data/claims.jsonl";

/// Records, and returns the file, which has one line.
fn record(copy: &Copy) -> ClaimRecord {
    record::execute(&copy.path("")).unwrap();
    serde_json::from_str(&copy.read(RECORDS)).unwrap()
}

/// The book as a reader sees it.
fn built(copy: &Copy) -> String {
    copy.build().unwrap();
    copy.read("book/tea.html")
}

fn git(copy: &Copy, arguments: &[&str]) -> String {
    let who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"];
    history::git(&copy.path(""), &[&who[..], arguments].concat()).unwrap()
}

fn commit(copy: &Copy) -> String {
    git(copy, &["add", "--all"]);
    git(copy, &["commit", "--quiet", "--message", "tea"]);
    git(copy, &["rev-parse", "HEAD"]).trim().to_owned()
}

#[test]
fn what_is_not_as_it_was_recorded_is_refused() {
    let copy = Copy::new();
    assert!(!built(&copy).contains("Set on"), "it has no records");
    std::fs::remove_dir_all(copy.path("book")).unwrap();
    copy.write(RECORDS, "");
    copy.refused(&["src/tea.md:6: ", "\"tea.pot\" is not recorded", "cargo book claims --record"]);
    let first = record(&copy);
    copy.change(PAGE, "above 1.5", "above 1.4");
    copy.refused(&["src/tea.md:6: ", "\"tea.pot\" has changed", "cargo book claims --record"]);
    // The same number, and other words.
    copy.change(PAGE, "above 1.4", "above 1.50");
    copy.change(PAGE, "A pot takes more", "It takes more");
    assert!(built(&copy).contains("Set on "));
    assert_eq!(record(&copy), first);
}

#[test]
fn a_claim_that_is_gone_is_refused_until_it_is_said_where_to_or_that_it_was_withdrawn() {
    let copy = Copy::new();
    record(&copy);
    copy.change(PAGE, "id = \"tea.pot\"", "id = \"tea.slow-pot\"");
    copy.change(PAGE, "{{claim tea.pot}}", "{{claim tea.slow-pot}}");
    let message = update(&copy.path("")).unwrap_err().to_string();
    for expected in ["data/claims.jsonl:1: ", "\"tea.pot\"", "\"was\"", "\"withdrawn\""] {
        assert!(message.contains(expected), "{message}");
    }
    let gone = copy.read(RECORDS);
    copy.change(RECORDS, "\"tea.pot\"", "\"tea.slow-pot\"");
    copy.change(RECORDS, "}", ",\"was\":[\"tea.pot\"]}");
    let renamed = copy.read(RECORDS);
    record(&copy);
    assert_eq!(copy.read(RECORDS), renamed);
    assert!(built(&copy).contains("<a id=\"claim-tea.pot\"></a>"));

    copy.write(
        RECORDS,
        &gone.replace('}', ",\"withdrawn\":\"Ten runs.\",\"stood\":\"undecided\"}"),
    );
    let withdrawn = copy.read(RECORDS);
    record::execute(&copy.path("")).unwrap();
    assert!(copy.read(RECORDS).starts_with(&withdrawn), "its line stays, beside the new one");
    copy.change(PAGE, "{{ledger}}", "{{ledger}}\n\n{{claims}}");
    let page = built(&copy);
    assert!(page.contains("1 withdrawn, each with the reason; 0 stood decided then"), "{page}");
    assert!(page.contains("</code>, undecided. Ten runs."), "{page}");
    std::fs::remove_dir_all(copy.path("book")).unwrap();
    copy.change(PAGE, "id = \"tea.slow-pot\"", "id = \"tea.pot\"");
    copy.change(PAGE, "{{claim tea.slow-pot}}", "{{claim tea.pot}}");
    copy.refused(&["src/tea.md:6: ", "\"tea.pot\" was withdrawn"]);
}

#[test]
fn a_record_finds_its_commit_and_its_first_run() {
    let copy = Copy::new();
    git(&copy, &["init", "--quiet"]);
    let data = copy.read(DATA);
    copy.write(DATA, &data.replace("2026-11-30T", "2000-11-30T"));
    assert_eq!(record(&copy).commit, None);
    assert!(built(&copy).contains("(not yet committed), after the data of kettle-1."));
    std::fs::remove_dir_all(copy.path("book")).unwrap();

    let name = commit(&copy);
    let named = record(&copy);
    assert!(name.starts_with(named.commit.as_ref().unwrap()), "{named:?}");
    commit(&copy);
    assert_eq!(record(&copy), named, "a later commit changes nothing");

    copy.write(DATA, &data.replace("2026-11-30T", "2100-11-30T"));
    let met = record(&copy);
    assert_eq!(met.first_run.as_deref(), Some("2100-11-30T10:12:00Z"));
    assert!(built(&copy).contains(", before the data of kettle-1."));

    copy.change(PAGE, "above 1.5", "above 1.4");
    let changed = record(&copy);
    assert_ne!(changed.hash, met.hash);
    assert_eq!(changed.commit, None);
    // Back again, beside a noise floor, which decides nothing: it has stood so since it was first committed, as
    // far as the history tells.
    copy.change(PAGE, "above 1.4\"", "above 1.5\"\nfloor = \"tea\"");
    commit(&copy);
    copy.change(PAGE, "floor = \"tea\"\n", "");
    commit(&copy);
    assert_eq!(record(&copy), met);
}

#[test]
fn a_claim_that_stands_twice_is_not_recorded() {
    let copy = Copy::new();
    let text = copy.read(PAGE);
    let start = text.find("```claim").unwrap();
    let end = start + text[start..].find("\n```\n").unwrap() + 5;
    copy.write(PAGE, &format!("{text}\n{}", &text[start..end]));
    assert!(update(&copy.path("")).unwrap_err().to_string().contains("\"tea.pot\" stands twice"));
}

#[test]
fn a_malformed_record_is_refused() {
    for (rest, expected) in [
        ("", "missing field `since`"),
        (",\"since\":\"noon\"", "is no time"),
        (",\"since\":\"2026-11-30T10:12:00Z\",\"when\":1", "unknown field `when`"),
        (",\"since\":\"2026-11-30T10:12:00Z\",\"note\":\"a\"", "no full stop"),
        (",\"since\":\"2026-11-30T10:12:00Z\",\"stood\":\"holds\"", "go together"),
        (",\"since\":\"2026-11-30T10:12:00Z\",\"was\":[\"tea.pot\"]", "stands twice"),
    ] {
        let copy = Copy::new();
        copy.write(RECORDS, &format!("{{\"id\":\"tea.pot\",\"hash\":\"0\"{rest}}}\n"));
        copy.refused(&["data/claims.jsonl:1: ", expected]);
    }
}
