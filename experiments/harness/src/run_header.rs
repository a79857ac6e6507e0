//! The header of a run.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::SystemTime;

use anyhow::{Context, Error, Result};
use measurement::staleness::SourceTree;
use measurement::{RunHeader, METHOD};

use crate::chapter::Chapter;
use crate::plan::Plan;

/// What runs a chapter's tasks and times them, whichever it measures.
const RUNTIMES: [&str; 6] =
    ["compio", "criterion", "glommio", "monoio", "smol", "tokio"];

/// What is known of a run before it begins; what the machine did
/// meanwhile and the number of rows follow at its end.
pub(crate) fn begin(
    chapter: &Chapter,
    plan: &Plan,
    machine: &str,
    seed: u64,
) -> Result<RunHeader> {
    let crates = tree(chapter)?.crates(&chapter.name, &RUNTIMES);
    let now = humantime::format_rfc3339_seconds(SystemTime::now());
    Ok(RunHeader {
        run: now.to_string(),
        machine: machine.to_owned(),
        chapter: chapter.name.clone(),
        profile: plan.profile,
        commit: commit(&chapter.package),
        method: METHOD,
        // Each experiment's header gets its own.
        experiment: String::new(),
        workload: None,
        builds: Vec::new(),
        rustc: env!("HARNESS_RUSTC").to_owned(),
        crates: crates.map_err(Error::msg)?,
        host: None,
        own_use: None,
        load: 0.0,
        steal: None,
        processes: plan.processes,
        rounds: Some(plan.rounds),
        rows: None,
        seed: Some(seed),
        fault: None,
        log: Vec::new(),
    })
}

/// The hashes of what the chapter's experiments run, by their names.
///
/// # Errors
///
/// If an experiment names no files, or one that is not there.
pub(crate) fn workloads(chapter: &Chapter) -> Result<BTreeMap<String, String>> {
    let tree = tree(chapter)?;
    let names = chapter.experiments.iter().map(|of| of.name.clone());
    let hash =
        |name: String| Ok((name.clone(), tree.workload(&chapter.name, &name)?));
    names.map(hash).collect::<Result<_, String>>().map_err(Error::msg)
}

/// The source tree that the chapter is of.
fn tree(chapter: &Chapter) -> Result<SourceTree> {
    let package = &chapter.package;
    let root = package.ancestors().find(|of| of.join("Cargo.lock").is_file());
    let root = root.with_context(|| {
        format!("no Cargo.lock in or above {}", package.display())
    })?;
    Ok(SourceTree::read(root, package.parent().unwrap_or(root)))
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
