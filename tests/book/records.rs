//! Since when each claim has stood as it stands: `data/claims.jsonl`, held against the history.

use ::book::history::git;
use ::book::record;

use crate::common::{read, root};

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
