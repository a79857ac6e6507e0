//! The header of a run.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use anyhow::{Context, Result};
use measurement::cargo_lock::CargoLock;
use measurement::manifest::measured_crates;
use measurement::{build_settings, workload, RunHeader, METHOD};

use crate::chapter::Chapter;
use crate::plan::Plan;

/// The harness, whose runtimes run the chapter's tasks.
const HARNESS: &str = env!("CARGO_MANIFEST_DIR");

/// What is known of a run before it begins; what the machine did
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
    let lock = CargoLock::read(&lock_file)?;
    let mut crates = measured_crates(&manifest(package), &lock)?;
    crates.extend(measured_crates(&manifest(HARNESS.as_ref()), &lock)?);
    let flags = std::env::var("CARGO_ENCODED_RUSTFLAGS")
        .or_else(|_| std::env::var("RUSTFLAGS"));
    let build = build_settings::hash(
        &lock_file.with_file_name("Cargo.toml"),
        &manifest(package),
        env!("HARNESS_RUSTC"),
        &["default"],
        &flags.unwrap_or_default(),
    )?;
    let now = humantime::format_rfc3339_seconds(SystemTime::now());
    Ok(RunHeader {
        run: now.to_string(),
        machine: machine.to_owned(),
        chapter: chapter.name.clone(),
        profile: plan.profile,
        commit: commit(package),
        method: METHOD,
        // Each experiment's header gets its own.
        experiment: String::new(),
        workload: None,
        build: Some(build),
        builds: Vec::new(),
        rustc: env!("HARNESS_RUSTC").to_owned(),
        crates,
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

/// The hash of what an experiment runs.
pub(crate) fn workload(chapter: &Chapter, experiment: &str) -> Result<String> {
    Ok(workload::hash(&chapter.package, experiment)?)
}

fn manifest(package: &Path) -> PathBuf {
    package.join("Cargo.toml")
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
