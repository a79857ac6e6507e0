//! `cargo book claims --record`: brings `data/claims.jsonl` up to date.

use std::collections::HashSet;
use std::path::Path;
use std::time::SystemTime;

use anyhow::{Result, bail};
use mdbook_measured::claim_records::{ClaimRecord, ClaimRecords, hash, path};
use mdbook_measured::data::{ChapterData, Data};
use mdbook_measured::driver::{self, Stated};
use mdbook_measured::{DataScope, Mistakes};

use crate::history::History;
use crate::write_data;

/// Records, and says what was done.
///
/// # Errors
///
/// As [`record`].
pub fn execute(root: &Path) -> Result<()> {
    let done = record(root)?;
    for line in &done {
        println!("{line}");
    }
    println!("{} of the records changed", done.len());
    Ok(())
}

/// When the committed runs of a chapter began.
fn runs<'a>(data: &'a Data, chapter: &str) -> Vec<&'a str> {
    let chapters = data.machines.iter().filter_map(|machine| machine.chapters.get(chapter));
    chapters.flat_map(ChapterData::began).collect()
}

/// Brings the file up to date with the claims of the pages: writes it, and returns what it did, a line
/// a claim.
///
/// A hash that is new is recorded with the time, and without a commit: that has yet to be made. The next
/// time, the commit is found, and the time becomes its time. Commits are looked up each time, since a
/// rebase gives them other names; where there is no history to look into, they stay as they are.
///
/// # Errors
///
/// What is wrong with a claim, or that one that is recorded stands on no page; if the file cannot be read or
/// written.
pub fn record(root: &Path) -> Result<Vec<String>> {
    let config = driver::config(root)?;
    let Stated { src, claims } = driver::stated(root)?;
    let data = Data::load(root, &config, DataScope::Committed)?;
    let known = ClaimRecords::load(root, &config)?.unwrap_or_default();
    let vanished = known.vanished(&claims);
    if !vanished.is_empty() {
        bail!(Mistakes(vanished));
    }
    let mut ids = HashSet::new();
    if let Some(claim) = claims.iter().find(|claim| !ids.insert(&claim.id)) {
        bail!("the claim {:?} stands twice: `cargo book` says where", claim.id);
    }
    let mut history = match History::read(root, &src) {
        Ok(history) => Some(history),
        Err(error) => {
            eprintln!("warning: commits are not looked up: {error:#}");
            None
        }
    };
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    let (mut lines, mut done) = (Vec::new(), Vec::new());
    for claim in &claims {
        let (old, hash) = (known.of(&claim.id), hash(claim));
        let mut record = match old {
            Some(old) if old.hash == hash => old.clone(),
            _ => ClaimRecord {
                id: claim.id.clone(),
                hash,
                since: now.clone(),
                commit: None,
                first_run: None,
                note: old.and_then(|old| old.note.clone()),
                was: old.map(|old| old.was.clone()).unwrap_or_default(),
            },
        };
        if let Some(history) = &mut history {
            find_commit(&mut record, history, &now)?;
        }
        // The data may no longer hold the run that was the first.
        let runs = runs(&data, &claim.chapter).into_iter().chain(record.first_run.as_deref());
        record.first_run = runs.filter(|run| record.is_before(run)).min().map(str::to_owned);
        done.extend(what_was_done(old, &record));
        lines.push(record);
    }
    lines.sort_by(|a, b| a.id.cmp(&b.id));
    let mut text = String::new();
    for record in &lines {
        // What has not changed stays to the byte.
        text += &match known.line(record) {
            Some(line) => line.to_owned(),
            None => serde_json::to_string(record)?,
        };
        text.push('\n');
    }
    write_data::replace(&path(root, &config), &text)?;
    Ok(done)
}

/// Finds since which commit a claim has been as its record says, if it has been committed.
fn find_commit(record: &mut ClaimRecord, history: &mut History, now: &str) -> Result<()> {
    let ids: Vec<&str> = record.ids().collect();
    match history.introduced(&ids, &record.hash)? {
        Some(commit) => {
            record.commit = Some(commit.short().to_owned());
            record.since = commit.time;
        }
        None => {
            // The commit that it named is not in this history, so its time says nothing here.
            if record.commit.take().is_some() {
                record.since = now.to_owned();
            }
        }
    }
    Ok(())
}

/// In what a record differs from the one that there was, for people.
fn what_was_done(old: Option<&ClaimRecord>, record: &ClaimRecord) -> Option<String> {
    let id = &record.id;
    let what = match old {
        None => "new".to_owned(),
        Some(old) if old == record => return None,
        Some(old) if old.hash != record.hash => {
            "changed: if data were seen before, say in its note what was changed".to_owned()
        }
        Some(old) if old.commit != record.commit => match &record.commit {
            Some(commit) => format!("stands since {commit}"),
            None => "its commit is not in the history".to_owned(),
        },
        Some(_) => "has met its first run".to_owned(),
    };
    Some(format!("{id}: {what}"))
}
