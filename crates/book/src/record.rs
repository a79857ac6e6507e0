//! `cargo book claims --record` adds a line to `data/claims.jsonl` for each new claim.

use std::collections::HashSet;
use std::path::Path;
use std::time::SystemTime;

use anyhow::{Result, bail};
use findings::claim::records::{ClaimRecord, ClaimRecords, hash};
use findings::data::paths::CLAIMS;
use language::config::DATA;
use pages::driver;

use crate::write_data;

/// Adds a line to the history for each claim that is new or whose predicate has changed, and
/// prints that line. Existing lines are never changed.
///
/// # Errors
///
/// Fails if a claim is invalid, a duplicate or withdrawn, or if the file cannot be read.
pub fn execute(root: &Path) -> Result<()> {
    let claims = driver::stated(root)?;
    let known = ClaimRecords::load(root)?.unwrap_or_default();
    let (mut ids, mut added) = (HashSet::new(), String::new());
    for claim in &claims {
        let (id, hash) = (claim.id.clone(), hash(claim));
        if !ids.insert(id.clone()) {
            bail!("the claim {id:?} stands twice: `cargo book` says where");
        }
        match known.of(&id) {
            Some(record) if record.withdrawn.is_some() => {
                bail!("the claim {id:?} was withdrawn: what is claimed anew has an id of its own")
            }
            Some(record) if record.hash == hash => continue,
            _ => {}
        }
        let since = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
        let record = ClaimRecord { id, hash, since, ..ClaimRecord::default() };
        added += &format!("{}\n", serde_json::to_string(&record)?);
    }
    let file = root.join(DATA).join(CLAIMS);
    let before = if file.exists() { std::fs::read_to_string(&file)? } else { String::new() };
    write_data::write(&root.join(DATA), &[(CLAIMS.into(), (before + &added).into_bytes())])?;
    host::say!("{added}{} lines are new", added.lines().count());
    if !added.is_empty() {
        host::say!("Where data were seen before a predicate was set, say so in its `note`.");
    }
    Ok(())
}
