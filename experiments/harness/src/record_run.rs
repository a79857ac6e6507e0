//! The parent process where it records: has the cells recorded, each in processes of their own.

use std::collections::BTreeMap;
use std::time::Instant;

use anyhow::{ensure, Result};
use host::cpu_use::CpuUse;
use host::fingerprint;
use host::run_lock::RunLock;
use measurement::RunHeader;
use recordings::recording::{Recording, RecordingOutcome};
use recordings::RecordingRun;

use crate::builds::Builds;
use crate::cell::Cell;
use crate::chapter::Chapter;
use crate::child_handle::ChildHandle;
use crate::plan::Plan;
use crate::progress::Progress;
use crate::protocol::{Ask, Request};
use crate::record::{put_together, PROCESSES};
use crate::run_header;

/// Records the cells whose name contains `filter`, of those that say what is to be recorded of them.
/// Returns a run for each experiment that has any. What cannot be recorded says why. The program that calls
/// this has to be able to serve as its own child, as [`crate::main`] does.
///
/// # Errors
///
/// If there is no such cell, or the package's sources cannot be read.
pub fn record_run(
    chapter: &Chapter,
    plan: &Plan,
    filter: &str,
    machine: &str,
) -> Result<Vec<RecordingRun>> {
    let is_wanted = |(_, (name, cell)): &(usize, (String, &Cell))| {
        cell.recording.is_some() && name.contains(filter)
    };
    let wanted: Vec<_> =
        chapter.cells().enumerate().filter(is_wanted).collect();
    ensure!(
        !wanted.is_empty(),
        "no cell that contains {filter:?} has a recording"
    );
    let workloads = run_header::workloads(chapter)?;
    let progress = Progress::new(wanted.len());
    let _lock = RunLock::acquire(|text| progress.note(text));
    let own = CpuUse::begin();
    let (began, before) = (Instant::now(), own.now());
    let builds = Builds::as_it_is()?;
    let mut header = run_header::begin(chapter, plan, machine, 0)?;
    header.builds = builds.seeds.clone();
    header.host = Some(fingerprint::take());
    header.own_use = own.by().map(str::to_owned);
    header.processes = PROCESSES;
    (header.rounds, header.seed) = (None, None);
    let mut recordings: Vec<(usize, Recording)> = Vec::new();
    for (index, (name, cell)) in wanted {
        progress.stage(&format!("recording {name}"));
        let outcome = match recorded(name.clone(), cell, &builds) {
            Ok(recorded) => recorded,
            Err(reason) => {
                progress.note(&format!("{name} failed: {reason}"));
                RecordingOutcome::Failed(reason)
            }
        };
        let contender = cell.contender.clone();
        let parameters = cell.parameters.clone();
        recordings.push((index, Recording { contender, parameters, outcome }));
        progress.advance();
    }
    if let (Some(before), Some(after)) = (before, own.now()) {
        let shares = after.since(&before);
        header.load = shares.foreign;
        header.steal = Some(shares.steal);
    }
    progress.finish(began.elapsed());
    Ok(by_experiment(chapter, &header, &workloads, recordings))
}

/// What processes record of a cell. Each is ended behind it, and what it recorded with it.
fn recorded(
    name: String,
    cell: &Cell,
    builds: &Builds,
) -> Result<RecordingOutcome, String> {
    let request = Request { cell: name, is_twin: false, ask: Ask::Record };
    let mut processes = Vec::new();
    for process in 0..PROCESSES {
        let mut child = ChildHandle::of(builds.of_process(process).1);
        processes.push(child.ask(&request, cell.time_limit)?);
    }
    let plan = cell.recording.as_ref();
    let operation = plan.map_or("", |plan| &plan.operation);
    let recorded = put_together(operation, processes)?;
    Ok(RecordingOutcome::Recorded(Box::new(recorded)))
}

/// A run for each experiment, with recordings in the order of its cells.
fn by_experiment(
    chapter: &Chapter,
    header: &RunHeader,
    workloads: &BTreeMap<String, String>,
    recordings: Vec<(usize, Recording)>,
) -> Vec<RecordingRun> {
    let experiments: Vec<&str> =
        chapter.all_cells().map(|(of, _)| of.name.as_str()).collect();
    let mut runs: Vec<RecordingRun> = Vec::new();
    for (index, recording) in recordings {
        let experiment = experiments[index];
        let is_of_it = |run: &RecordingRun| run.header.experiment == experiment;
        if !runs.last().is_some_and(is_of_it) {
            let header = RunHeader {
                experiment: experiment.to_owned(),
                workload: workloads.get(experiment).cloned(),
                ..header.clone()
            };
            runs.push(RecordingRun { header, recordings: Vec::new() });
        }
        let run = runs.last_mut().expect("one has been pushed");
        run.recordings.push(recording);
        run.header.rows = Some(run.recordings.len());
    }
    runs
}
