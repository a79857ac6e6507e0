//! Tests how the book uses `data/claims.jsonl`, and how `book claims --record` updates it. Each
//! test works on a copy of the example book, which has no such file.

use crate::copy::{Copy, DATA, PAGE};
use book::record;
use findings::claim::records::ClaimRecord;

const RECORDS: &str = "data/claims.jsonl";

/// Runs `book claims --record`, and returns the lines of the file.
fn record(copy: &Copy) -> Vec<ClaimRecord> {
    record::execute(&copy.path("")).unwrap();
    copy.read(RECORDS).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Builds the book, and returns the page as a reader sees it.
fn built(copy: &Copy) -> String {
    copy.build().unwrap();
    let page = copy.read("book/tea.html");
    std::fs::remove_dir_all(copy.path("book")).unwrap();
    page
}

#[test]
fn each_predicate_has_its_line_and_no_line_changes() {
    let copy = Copy::new();
    assert!(!built(&copy).contains("Set on"), "it has no records");
    copy.write(RECORDS, "");
    copy.refused(&["src/tea.md:6: ", "\"tea.pot\" is not recorded", "cargo book claims --record"]);
    let first = record(&copy);
    assert_eq!(first.len(), 1);
    copy.change(PAGE, "above 1.5", "above 1.4");
    copy.refused(&["src/tea.md:6: ", "\"tea.pot\" has changed", "cargo book claims --record"]);
    let second = record(&copy);
    assert_eq!((second.len(), &second[0]), (2, &first[0]));
    // The bound is the same, but is written differently.
    copy.change(PAGE, "above 1.4", "above 1.40");
    copy.change(PAGE, "A pot takes more", "It takes more");
    assert!(built(&copy).contains("Set on "));
    assert_eq!(record(&copy), second);
}

#[test]
fn a_card_tells_the_first_run_since_its_predicate() {
    let copy = Copy::new();
    let data = copy.read(DATA);
    copy.write(DATA, &data.replace("2026-10-30T", "2000-11-30T"));
    record(&copy);
    assert!(built(&copy).contains(", after the data of kettle-1."));
    copy.write(DATA, &data);
    let since = record(&copy).remove(0).since;
    copy.change(RECORDS, &since, "2026-10-12T10:00:00Z");
    let page = built(&copy);
    assert!(page.contains(", before the data of kettle-1."), "{page}");
    assert!(page.contains("The first run since: 2026-10-30 at 10:12 UTC."), "{page}");
}

#[test]
fn a_claim_that_is_gone_is_refused_until_it_is_said_where_to_or_that_it_was_withdrawn() {
    let copy = Copy::new();
    let hash = record(&copy).remove(0).hash;
    copy.change(PAGE, "id = \"tea.pot\"", "id = \"tea.slow-pot\"");
    copy.change(PAGE, "{{claim tea.pot}}", "{{claim tea.slow-pot}}");
    record(&copy);
    copy.refused(&["data/claims.jsonl:1: ", "\"tea.pot\"", "\"was\"", "\"withdrawn\""]);
    let gone = copy.read(RECORDS);
    let line =
        |rest| format!("{{\"hash\":\"{hash}\",\"since\":\"2026-11-12T10:00:00Z\",{rest}}}\n");
    copy.write(RECORDS, &(gone.clone() + &line("\"id\":\"tea.slow-pot\",\"was\":[\"tea.pot\"]")));
    assert!(built(&copy).contains("<a id=\"claim-tea.pot\"></a>"));

    let withdrawn = "\"id\":\"tea.pot\",\"withdrawn\":\"Too narrow.\",\"stood\":\"undecided\"";
    copy.write(RECORDS, &(gone + &line(withdrawn)));
    copy.change(PAGE, "{{ledger}}", "{{ledger}}\n\n{{claims}}");
    let page = built(&copy);
    assert!(page.contains("1 withdrawn, each with the reason; 0 stood decided then"), "{page}");
    assert!(page.contains("</code>, undecided. Too narrow."), "{page}");
    copy.change(PAGE, "id = \"tea.slow-pot\"", "id = \"tea.pot\"");
    copy.change(PAGE, "{{claim tea.slow-pot}}", "{{claim tea.pot}}");
    copy.refused(&["src/tea.md:6: ", "\"tea.pot\" was withdrawn"]);
    let error = record::execute(&copy.path("")).unwrap_err().to_string();
    assert!(error.contains("\"tea.pot\" was withdrawn"), "{error}");
}

#[test]
fn a_claim_that_stands_twice_is_not_recorded() {
    let copy = Copy::new();
    let text = copy.read(PAGE);
    let start = text.find("```claim").unwrap();
    let end = start + text[start..].find("\n```\n").unwrap() + 5;
    copy.write(PAGE, &format!("{text}\n{}", &text[start..end]));
    let error = record::execute(&copy.path("")).unwrap_err().to_string();
    assert!(error.contains("\"tea.pot\" stands twice"), "{error}");
}

#[test]
fn a_malformed_record_is_refused() {
    for (rest, expected) in [
        ("", "missing field `since`"),
        (",\"since\":\"noon\"", "is no time"),
        (",\"since\":\"2999-10-30T10:12:00Z\"", "\"2999-10-30T10:12:00Z\" is in the future"),
        (
            ",\"since\":\"2026-10-30T10:12:00Z\",\"first_run\":\"2026-10-30T10:11:00Z\"",
            "began no later than the claim was set",
        ),
        (",\"since\":\"2026-10-30T10:12:00Z\",\"commit\":\"HEAD\"", "`commit` is \"HEAD\""),
        (
            ",\"since\":\"2026-10-30T10:12:00Z\",\"since\":\"2026-10-30T10:12:00Z\"",
            "duplicate field `since`",
        ),
        (",\"since\":\"2026-10-30T10:12:00Z\",\"when\":1", "unknown field `when`"),
        (",\"since\":\"2026-10-30T10:12:00Z\",\"note\":\"a\"", "no full stop"),
        (",\"since\":\"2026-10-30T10:12:00Z\",\"stood\":\"holds\"", "go together"),
    ] {
        let copy = Copy::new();
        copy.write(RECORDS, &format!("{{\"id\":\"tea.pot\",\"hash\":\"0\"{rest}}}\n"));
        copy.refused(&["data/claims.jsonl:1: ", expected]);
    }
}
