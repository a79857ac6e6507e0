//! The header of a run.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::SystemTime;

use anyhow::{Context, Result};
use measurement::{lock, sources, RunHeader, METHOD};

use crate::chapter::Chapter;
use crate::plan::Plan;

/// What is known of a run before it begins; the floor, what the machine did
/// meanwhile and the number of rows follow at its end.
pub(crate) fn begin(
    chapter: &Chapter,
    plan: &Plan,
    machine: &str,
    seed: u64,
) -> Result<RunHeader> {
    let package = &chapter.package;
    let lock_file = package
        .ancestors()
        .map(|directory| directory.join("Cargo.lock"))
        .find(|file| file.is_file())
        .with_context(|| {
            format!("no Cargo.lock in or above {}", package.display())
        })?;
    let names = chapter.measures.iter().map(String::as_str);
    let now = humantime::format_rfc3339_seconds(SystemTime::now());
    Ok(RunHeader {
        run: now.to_string(),
        machine: machine.to_owned(),
        chapter: chapter.name.clone(),
        profile: plan.profile,
        commit: commit(package),
        method: METHOD,
        experiment: None,
        sources: String::new(),
        workload: None,
        build: None,
        builds: Vec::new(),
        rustc: env!("HARNESS_RUSTC").to_owned(),
        crates: lock::versions(&lock_file, names)?,
        floor: BTreeMap::new(),
        load: 0.0,
        steal: None,
        processes: plan.processes,
        rounds: Some(plan.rounds),
        rows: None,
        seed: Some(seed),
        log: Vec::new(),
    })
}

/// The hash of what an experiment runs.
pub(crate) fn workload(chapter: &Chapter, _experiment: &str) -> Result<String> {
    let package = &chapter.package;
    sources::hash(package).with_context(|| {
        format!("the sources in {} cannot be read", package.display())
    })
}

/// The commit of the tree, `-dirty` behind it if code differs from it, or
/// `unknown` without git.
fn commit(package: &Path) -> String {
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        let output =
            git.arg("-C").arg(package).args(arguments).output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        output.status.success().then_some(text)
    };
    let code = ["experiments", "crates", "Cargo.lock", "Cargo.toml"];
    let code = code.map(|path| format!(":/{path}"));
    let mut status = vec!["status", "--porcelain", "--"];
    status.extend(code.iter().map(String::as_str));
    match (git(&["rev-parse", "HEAD"]), git(&status)) {
        (Some(commit), Some(changes)) if changes.is_empty() => commit,
        (Some(commit), _) => format!("{commit}-dirty"),
        (None, _) => "unknown".to_owned(),
    }
}
