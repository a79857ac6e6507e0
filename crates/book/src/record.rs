//! `cargo book claims --record`: brings `data/claims.jsonl` up to date.

use std::collections::HashSet;
use std::path::Path;
use std::time::SystemTime;

use anyhow::{Result, bail};
use mdbook_measured::claim::records::{ClaimRecord, ClaimRecords, FILE, hash};
use mdbook_measured::data::Data;
use mdbook_measured::driver::{self, Stated};
use mdbook_measured::{DataScope, Mistakes};

use crate::{history, write_data};

/// Records, and says what has changed.
pub fn execute(root: &Path) -> Result<()> {
    let (text, changed) = update(root)?;
    let data = root.join(driver::config(root)?.data);
    write_data::write(&data, &[(FILE.into(), text.into_bytes())])?;
    changed.iter().for_each(|line| host::say!("{line}"));
    host::say!("{} of the records changed", changed.len());
    if !changed.is_empty() {
        host::say!(
            "Where data were seen before a predicate was changed, say in its note what it was."
        );
    }
    Ok(())
}

/// The file as it is to be, and those lines of it that are not there yet.
///
/// A hash that is new is recorded with the time, and without a commit: that has yet to be made. The next
/// time, the commit is found, and the time becomes its time. A rebase gives commits other names, so they are
/// looked up each time; where there is no history to look into, they stay as they are.
///
/// # Errors
///
/// What is wrong with a claim, or that one that is recorded stands on no page; if the file cannot be read.
pub fn update(root: &Path) -> Result<(String, Vec<String>)> {
    let config = driver::config(root)?;
    let Stated { src, claims } = driver::stated(root)?;
    let data = Data::load(root, &config, DataScope::Committed)?;
    let known = ClaimRecords::load(root, &config)?.unwrap_or_default();
    let mut ids = HashSet::new();
    if let Some(claim) = claims.iter().find(|claim| !ids.insert(claim.id.as_str())) {
        bail!("the claim {:?} stands twice: `cargo book` says where", claim.id);
    }
    let vanished = known.vanished(&ids);
    if !vanished.is_empty() {
        bail!(Mistakes(vanished));
    }
    if let Some((record, _)) = known.withdrawn().find(|(it, _)| ids.contains(it.id.as_str())) {
        bail!(
            "the claim {:?} was withdrawn, and stands on a page: what is claimed anew has an id of its own",
            record.id
        );
    }
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    let recorded = claims.iter().map(|claim| {
        let old = known.of(&claim.id).cloned().unwrap_or_default();
        let (id, hash, since) = (claim.id.clone(), hash(claim), now.clone());
        if old.hash == hash {
            return old;
        }
        ClaimRecord { id, hash, since, commit: None, first_run: None, ..old }
    });
    let mut records: Vec<ClaimRecord> = recorded.collect();
    match history::since(&root.join(src), &records) {
        Ok(found) => {
            for (record, found) in records.iter_mut().zip(found) {
                if let Some((time, name)) = found {
                    (record.since, record.commit) = (time, Some(name));
                } else if record.commit.take().is_some() {
                    // The commit that it named is not in this history, so its time says nothing here.
                    record.since = now.clone();
                }
            }
        }
        Err(error) => host::tell!("warning: commits are not looked up: {error:#}"),
    }
    for (record, claim) in records.iter_mut().zip(&claims) {
        let chapters = data.machines.iter().filter_map(|it| it.chapters.get(&claim.chapter));
        let runs = chapters.flat_map(|chapter| &chapter.sources).flat_map(|file| &file.runs);
        let runs = runs.map(|run| run.header.run.as_str());
        // The data may no longer hold the run that was the first.
        let runs = runs.chain(record.first_run.as_deref());
        record.first_run = runs.filter(|run| record.is_before(run)).min().map(str::to_owned);
    }
    records.extend(known.withdrawn().map(|(record, _)| record.clone()));
    records.sort_by(|a, b| a.id.cmp(&b.id));
    let (mut text, mut changed) = (String::new(), Vec::new());
    for record in &records {
        let line = serde_json::to_string(record)?;
        text += &format!("{line}\n");
        changed.extend((known.of(&record.id) != Some(record)).then_some(line));
    }
    Ok((text, changed))
}
