//! Since when each claim has stood as it stands: `data/claims.jsonl`, held against the history.

use ::book::history::git;
use ::book::record;

use crate::common::{read, root};
use crate::BOOK;

/// The commit since which no line goes: a claim that is given up says so in its own.
const KEPT: &str = "5ef20e3";

/// Each record's commit has its claim, which has stood so since; its time is that commit's, and its first run
/// the first that is younger. What is as young as the commit that is checked out cannot name it.
#[test]
fn every_record_is_what_the_history_and_the_data_say() {
    let (_, mut wrong) = record::update(root()).unwrap();
    if let Ok(head) = git(root(), &["rev-parse", "--short=10", "HEAD"]) {
        wrong.retain(|line| !line.contains(&format!("\"commit\":{:?}", head.trim())));
    }
    assert!(wrong.is_empty(), "`cargo book claims --record` makes it\n{}", wrong.join("\n"));
}

/// What src/claims.md and src/method.md say of the rule, and that four are not by it.
#[test]
fn four_were_withdrawn_for_other_reasons_than_the_rule() {
    let records = BOOK.analysis.records.as_ref().unwrap();
    let others = records.withdrawn().filter(|(_, why)| !why.starts_with("Ten runs would leave"));
    let stood: Vec<_> = others.filter_map(|(record, _)| record.stood.as_deref()).collect();
    let failed = stood.iter().filter(|stood| **stood == "fails").count();
    assert_eq!((stood.len(), failed), (4, 1), "both pages tell of four, one of which failed");
}

#[test]
fn no_line_ever_goes() {
    let (file, since) = ("data/claims.jsonl", format!("{KEPT}..HEAD"));
    let changes = match git(root(), &["log", "--patch", "--format=", &since, "--", file]) {
        Ok(changes) => changes,
        Err(error) => return println!("skipped: {error:#}"),
    };
    let text = read(file);
    let ids = changes.lines().filter_map(|line| line.strip_prefix("-{\"id\":")?.split(',').next());
    let gone: Vec<&str> = ids.filter(|id| !text.contains(id)).collect();
    assert!(
        gone.is_empty(),
        "{file} has no line of {gone:?}: it has one, even when it is `withdrawn`"
    );
}
