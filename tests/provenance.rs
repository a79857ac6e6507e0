//! Since when each claim has stood as it stands: `data/claims.jsonl`, held against the history.

use std::collections::BTreeMap;
use std::path::Path;

use ::book::history::History;
use mdbook_measured::claim_records::{ClaimRecord, ClaimRecords};
use mdbook_measured::{driver, DataScope};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn records() -> ClaimRecords {
    let config = driver::config(root()).unwrap();
    let records = ClaimRecords::load(root(), &config).unwrap_or_else(|error| panic!("{error}"));
    records.expect("data/claims.jsonl is there")
}

/// Whether a claim had this hash, under its id or one that it had before.
fn has(hashes: &BTreeMap<String, String>, record: &ClaimRecord) -> bool {
    record.ids().any(|id| hashes.get(id) == Some(&record.hash))
}

#[test]
fn every_record_is_what_the_history_says() {
    let mut history = match History::read(root(), Path::new("src")) {
        Ok(history) => history,
        Err(reason) => {
            println!("skipped: {reason:#}");
            return;
        }
    };
    let head = history.head().expect("a commit").clone();
    let mut wrong = Vec::new();
    for record in records().all() {
        let id = &record.id;
        let Some(name) = &record.commit else {
            // As young as the commit that is checked out, or not committed yet.
            for parent in &head.parents {
                if has(history.claims_at(parent).unwrap(), record) {
                    wrong.push(format!("{id}: is committed, and its record names no commit"));
                }
            }
            continue;
        };
        let Some(commit) = history.commit(name).cloned() else {
            wrong.push(format!("{id}: {name} is no commit of this history"));
            continue;
        };
        if commit.time != record.since {
            wrong.push(format!("{id}: {name} is of {}, not {}", commit.time, record.since));
        }
        if !has(history.claims_at(&commit.id).unwrap(), record) {
            wrong.push(format!("{id}: is not so at {name}"));
        }
        for parent in &commit.parents {
            if has(history.claims_at(parent).unwrap(), record) {
                wrong.push(format!("{id}: was so before {name}"));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}\n`cargo book claims --record` mends it", wrong.join("\n"));
}

#[test]
fn the_first_run_is_the_first_after_the_commit() {
    let analysis = driver::analyse(root(), DataScope::Committed).unwrap();
    let records = records();
    let mut wrong = Vec::new();
    for claim in &analysis.claims {
        let record = records.of(&claim.id).expect("the book has been built");
        let machines = analysis.data.machines.iter();
        let runs = machines.filter_map(|machine| machine.chapters.get(&claim.chapter));
        let younger = runs.flat_map(|data| data.began()).filter(|run| record.is_before(run));
        let first = younger.min();
        // A run that the data no longer hold may have been earlier.
        let is_it = match (&record.first_run, first) {
            (Some(recorded), Some(first)) => {
                recorded.as_str() <= first && record.is_before(recorded)
            }
            (Some(recorded), None) => record.is_before(recorded),
            (None, first) => first.is_none(),
        };
        if !is_it {
            wrong.push(format!("{}: {:?}, the data have {first:?}", claim.id, record.first_run));
        }
    }
    assert!(wrong.is_empty(), "\n{}\n`cargo book claims --record` mends it", wrong.join("\n"));
}
