//! Checks the history of claims in `data/claims.jsonl` against the file's own history in git.

use std::collections::BTreeSet;
use std::process::Command;

use findings::claim::records::ClaimRecord;

use crate::common::{read, root};
use crate::BOOK;

/// The oldest commit after which no claim's line may vanish from the file.
const KEPT: &str = "5ef20e3";

/// Runs git in the repository. Returns its output, or its error message as an error.
pub(crate) fn git(arguments: &[&str]) -> Result<String, String> {
    let output = Command::new("git").current_dir(root()).args(arguments).output();
    let output = output.map_err(|error| format!("git cannot be run: {error}"))?;
    let told = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    output.status.success().then(|| told(&output.stdout)).ok_or_else(|| told(&output.stderr))
}

/// The file must still contain every id that it has had since [`KEPT`]. Until 28 November 2026,
/// the line of a claim was edited when the claim changed; since then, the lines of old predicates
/// must remain too.
#[test]
fn no_line_ever_goes() {
    let (file, since) = ("data/claims.jsonl", format!("{KEPT}..HEAD"));
    let changes = ["log", "--patch", "--format=%cI", &since, "--", file];
    let changes = match git(&changes) {
        Ok(changes) => changes,
        Err(error) => return println!("skipped: {error}"),
    };
    let text = read(file);
    let mut day = "";
    let (mut seen, mut gone) = (0, Vec::new());
    for line in changes.lines() {
        if line.starts_with("20") {
            day = &line[..10];
        }
        let Some(record) = line.strip_prefix("-{").map(|rest| format!("{{{rest}")) else {
            continue;
        };
        let ClaimRecord { id, hash, .. } = serde_json::from_str(&record).unwrap();
        let is_there = |line: &str| {
            line.contains(&format!("\"{id}\"")) && (day < "2026-11-29" || line.contains(&hash))
        };
        seen += 1;
        gone.extend((!text.lines().any(is_there)).then_some(id));
    }
    assert!(seen > 0, "lines were changed until then");
    assert!(gone.is_empty(), "{file} has no line of {gone:?}: lines are only added");
}

#[test]
fn every_commit_of_a_record_is_in_the_history() {
    if let Err(error) = git(&["cat-file", "-e", KEPT]) {
        return println!("skipped: {error}");
    }
    let records = &BOOK.analysis.records.as_ref().unwrap().all;
    let commits: BTreeSet<&str> = records.iter().filter_map(|of| of.commit.as_deref()).collect();
    let arguments: Vec<&str> = ["rev-list", "--no-walk"].into_iter().chain(commits).collect();
    let found = git(&arguments).unwrap_or_else(|error| panic!("data/claims.jsonl: {error}"));
    assert!(found.lines().count() > 1);
}

/// The page src/claims.md gives one reason why most claims were withdrawn, and mentions four
/// exceptions.
#[test]
fn four_were_withdrawn_for_other_reasons_than_the_rule() {
    let records = BOOK.analysis.records.as_ref().unwrap();
    let others = records.withdrawn().filter(|(_, why)| !why.starts_with("Ten runs would leave"));
    let stood: Vec<_> = others.filter_map(|(record, _)| record.stood.as_deref()).collect();
    let failed = stood.iter().filter(|stood| **stood == "fails").count();
    assert_eq!((stood.len(), failed), (4, 1), "the page tells of four, one of which failed");
}
