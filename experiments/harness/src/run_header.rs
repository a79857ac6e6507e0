//! The header of a run, which describes the machine, the program and the
//! conditions.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::{Instant, SystemTime};

use anyhow::{Context, Error, Result};
use host::cpu_use::{CpuUse, Reading};
use host::fingerprint;
use measurement::staleness::SourceTree;
use measurement::{RunHeader, METHOD};

use crate::builds::Builds;
use crate::chapter::Chapter;
use crate::plan::Plan;

/// The crates that run or time tasks in some chapter. The header lists their
/// versions.
const RUNTIMES: [&str; 6] =
    ["compio", "criterion", "glommio", "monoio", "smol", "tokio"];

/// The hash of each experiment's code, by the experiment's name.
pub(crate) type Workloads = BTreeMap<String, String>;

/// The log of a run, from which headers are made.
pub(crate) struct RunLog {
    /// The fields of the header that all experiments share.
    pub(crate) header: RunHeader,
    pub(crate) own: CpuUse,
    pub(crate) began: Instant,
    before: Option<Reading>,
    workloads: Workloads,
}

/// Returns the hash of each experiment's code. Called before anything runs.
///
/// Fails if an experiment lists no files, or if a listed file is missing.
pub(crate) fn workloads(chapter: &Chapter) -> Result<Workloads> {
    let tree = tree(chapter)?;
    let names = chapter.experiments.iter().map(|of| of.name.clone());
    let hash =
        |name: String| Ok((name.clone(), tree.workload(&chapter.name, &name)?));
    names.map(hash).collect::<Result<_, String>>().map_err(Error::msg)
}

impl RunLog {
    pub(crate) fn begin(
        chapter: &Chapter,
        plan: &Plan,
        machine: &str,
        workloads: Workloads,
        builds: &Builds,
        own: CpuUse,
    ) -> Result<RunLog> {
        let crates = tree(chapter)?.crates(&chapter.name, &RUNTIMES);
        let now = humantime::format_rfc3339_seconds(SystemTime::now());
        let header = RunHeader {
            run: now.to_string(),
            machine: machine.to_owned(),
            chapter: chapter.name.clone(),
            profile: plan.profile,
            commit: commit(&chapter.package),
            method: METHOD,
            // Left empty here: each experiment's own header has its name.
            experiment: String::new(),
            workload: None,
            builds: builds.seeds.clone(),
            rustc: env!("HARNESS_RUSTC").to_owned(),
            crates: crates.map_err(Error::msg)?,
            host: Some(fingerprint::take()),
            own_use: own.by().map(str::to_owned),
            load: 0.0,
            steal: None,
            processes: plan.processes,
            rounds: Some(plan.rounds),
            rows: None,
            seed: None,
            fault: None,
            log: Vec::new(),
        };
        let (before, began) = (own.now(), Instant::now());
        Ok(RunLog { header, own, began, before, workloads })
    }

    /// Finishes the log by adding how much of the machine other processes and
    /// the hypervisor used.
    pub(crate) fn end(&mut self) {
        if let Some((before, after)) = self.before.as_ref().zip(self.own.now())
        {
            let shares = after.since(before);
            self.header.load = shares.foreign;
            self.header.steal = Some(shares.steal);
        }
    }

    pub(crate) fn header_of(&self, experiment: &str, rows: usize) -> RunHeader {
        RunHeader {
            experiment: experiment.to_owned(),
            workload: self.workloads.get(experiment).cloned(),
            rows: Some(rows),
            ..self.header.clone()
        }
    }
}

fn tree(chapter: &Chapter) -> Result<SourceTree> {
    let package = &chapter.package;
    let root = package.ancestors().find(|of| of.join("Cargo.lock").is_file());
    let root = root.with_context(|| {
        format!("no Cargo.lock in or above {}", package.display())
    })?;
    Ok(SourceTree::read(root, package.parent().unwrap_or(root)))
}

/// Returns the commit of the source tree, with `-dirty` appended if code has
/// been changed since, or `unknown` without git.
fn commit(package: &Path) -> String {
    let git = |arguments: &str| {
        let mut git = Command::new("git");
        git.current_dir(package).args(arguments.split(' '));
        let output = git.output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        output.status.success().then_some(text)
    };
    let code = ":/experiments :/crates :/Cargo.lock :/Cargo.toml";
    let changes = git(&format!("status --porcelain -- {code}"));
    match (git("rev-parse HEAD"), changes) {
        (Some(commit), Some(changes)) if changes.is_empty() => commit,
        (Some(commit), _) => format!("{commit}-dirty"),
        (None, _) => "unknown".to_owned(),
    }
}
