//! `data/claims.jsonl`: what the book says of it, and how `book claims --record` keeps it. Each test works
//! on a copy of the fixture book, which has no such file.

use std::process::{Command, Output};

use copy::{Copy, DATA, PAGE};

#[path = "../../mdbook-measured/tests/copy/mod.rs"]
mod copy;

const RECORDS: &str = "data/claims.jsonl";

fn run(copy: &Copy, program: &str, arguments: &[&str]) -> Output {
    Command::new(program).current_dir(copy.path("")).args(arguments).output().unwrap()
}

/// Records, expects that to go well, and returns the file.
fn record(copy: &Copy) -> String {
    let output = run(copy, env!("CARGO_BIN_EXE_book"), &["claims", "--record"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    copy.read(RECORDS)
}

/// The book as a reader sees it.
fn built(copy: &Copy) -> String {
    copy.build().unwrap();
    copy.read("book/tea.html")
}

fn git(copy: &Copy, arguments: &[&str]) -> String {
    let who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"];
    let output = run(copy, "git", &[&who, arguments].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn commit(copy: &Copy) -> String {
    git(copy, &["add", "--all"]);
    git(copy, &["commit", "--quiet", "--message", "tea"]);
    git(copy, &["rev-parse", "HEAD"]).trim().to_owned()
}

/// The value of a key in a file of one line.
fn value(line: &str, key: &str) -> Option<String> {
    let record: serde_json::Value = serde_json::from_str(line).unwrap();
    Some(record.get(key)?.as_str()?.to_owned())
}

#[test]
fn a_book_without_records_says_nothing_of_them() {
    assert!(!built(&Copy::new()).contains("Set on"));
}

#[test]
fn what_is_not_as_it_was_recorded_is_refused() {
    let copy = Copy::new();
    copy.write(RECORDS, "");
    copy.refused(&["src/tea.md:6: ", "\"tea.pot\" is not recorded", "cargo book claims --record"]);
    let text = record(&copy);
    copy.change(PAGE, "above 1.5", "above 1.4");
    copy.refused(&["src/tea.md:6: ", "\"tea.pot\" has changed", "cargo book claims --record"]);
    // The same number, and other words.
    copy.change(PAGE, "above 1.4", "above 1.50");
    copy.change(PAGE, "A pot takes more", "It takes more");
    assert!(built(&copy).contains("Set on "));
    assert_eq!(record(&copy), text);
}

#[test]
fn a_claim_that_is_gone_is_refused_until_it_is_said_where_to() {
    let copy = Copy::new();
    let text = record(&copy);
    copy.change(PAGE, "id = \"tea.pot\"", "id = \"tea.slow-pot\"");
    copy.change(PAGE, "{{claim tea.pot}}", "{{claim tea.slow-pot}}");
    let output = run(&copy, env!("CARGO_BIN_EXE_book"), &["claims", "--record"]);
    let message = String::from_utf8_lossy(&output.stderr);
    for expected in
        ["data/claims.jsonl:1: ", "\"tea.pot\"", "\"was\"", "\"tea.slow-pot\" says the same"]
    {
        assert!(message.contains(expected), "{message}");
    }
    assert_eq!(copy.read(RECORDS), text);
    copy.change(RECORDS, "\"tea.pot\"", "\"tea.slow-pot\"");
    copy.change(RECORDS, "}", ",\"was\":[\"tea.pot\"]}");
    let renamed = copy.read(RECORDS);
    assert_eq!(record(&copy), renamed);
    assert!(built(&copy).contains("<a id=\"claim-tea.pot\"></a>"));
}

#[test]
fn a_record_finds_its_commit_and_its_first_run() {
    let copy = Copy::new();
    git(&copy, &["init", "--quiet"]);
    copy.write(DATA, &copy.read(DATA).replace("2026-11-30", "2000-01-01"));
    let first = record(&copy);
    assert_eq!(value(&first, "commit"), None);
    assert!(built(&copy).contains("(not yet committed), after the data that it is judged on"));
    std::fs::remove_dir_all(copy.path("book")).unwrap();

    let name = commit(&copy);
    let named = record(&copy);
    assert!(name.starts_with(&value(&named, "commit").unwrap()), "{named}");
    commit(&copy);
    assert_eq!(record(&copy), named, "a later commit changes nothing");

    copy.write(DATA, &copy.read(DATA).replace("2000-01-01", "2100-01-01"));
    let met = record(&copy);
    assert_eq!(value(&met, "first_run").as_deref(), Some("2100-01-01T10:12:00Z"));
    assert!(
        built(&copy)
            .contains(", before the data that it is judged on (the first run since: 2100-01-01)")
    );

    copy.change(PAGE, "above 1.5", "above 1.4");
    let changed = record(&copy);
    assert_ne!(value(&changed, "hash"), value(&met, "hash"));
    assert_eq!(value(&changed, "commit"), None);
    // Back again: it has stood so since it was first committed, as far as the history tells.
    copy.change(PAGE, "above 1.4", "above 1.5");
    assert_eq!(record(&copy), met);
}

/// It has named a class of noise floor until method 4, which decides nothing now.
#[test]
fn a_claim_is_as_old_as_what_decides_it() {
    let copy = Copy::new();
    git(&copy, &["init", "--quiet"]);
    let predicate = "predicate = \"above 1.5\"\n";
    copy.change(PAGE, predicate, &format!("{predicate}floor     = \"single-thread\"\n"));
    let name = commit(&copy);
    copy.change(PAGE, "floor     = \"single-thread\"\n", "");
    commit(&copy);
    let recorded = record(&copy);
    assert!(name.starts_with(&value(&recorded, "commit").unwrap()), "{recorded}");
}

#[test]
fn a_claim_that_stands_twice_is_not_recorded() {
    let copy = Copy::new();
    let text = copy.read(PAGE);
    let start = text.find("```claim").unwrap();
    let end = start + text[start..].find("\n```\n").unwrap() + 5;
    copy.write(PAGE, &format!("{text}\n{}", &text[start..end]));
    let output = run(&copy, env!("CARGO_BIN_EXE_book"), &["claims", "--record"]);
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("\"tea.pot\" stands twice"));
    assert!(!copy.path(RECORDS).exists());
}

#[test]
fn a_malformed_record_is_refused() {
    let wrong = |line: &str, expected: &str| {
        let copy = Copy::new();
        copy.write(RECORDS, line);
        copy.refused(&["data/claims.jsonl:1: ", expected]);
    };
    wrong("{}\n", "missing field `id`");
    let record = |rest: &str| format!("{{\"id\":\"tea.pot\",\"hash\":\"0\",{rest}}}\n");
    wrong(&record("\"since\":\"noon\""), "which is no time");
    wrong(&record("\"since\":\"2026-11-30T10:12:00Z\",\"when\":1"), "unknown field `when`");
    wrong(&record("\"since\":\"2026-11-30T10:12:00Z\",\"note\":\"a\""), "no full stop");
    wrong(&record("\"since\":\"2026-11-30T10:12:00Z\",\"was\":[\"tea.pot\"]"), "stands twice");
}
