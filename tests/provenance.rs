//! Since when each claim has stood as it stands: `data/claims.jsonl`, held against the history.

use std::path::Path;

use ::book::{history::git, record};

/// Each record's commit has its claim, which has stood so since; its time is that commit's, and its first run
/// the first that is younger. What is as young as the commit that is checked out cannot name it.
#[test]
fn every_record_is_what_the_history_and_the_data_say() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (_, mut wrong) = record::update(root).unwrap();
    if let Ok(head) = git(root, &["rev-parse", "--short=10", "HEAD"]) {
        wrong.retain(|line| !line.contains(&format!("\"commit\":{:?}", head.trim())));
    }
    assert!(wrong.is_empty(), "`cargo book claims --record` makes it\n{}", wrong.join("\n"));
}
