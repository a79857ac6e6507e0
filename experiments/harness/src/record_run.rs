//! Records operations step by step. Each benchmark is recorded in separate
//! child processes of this one.

use anyhow::{ensure, Result};
use host::cpu_use::CpuUse;
use host::run_lock::RunLock;
use recorder::{put_together, PROCESSES};
use recordings::recording::{Recorded, Recording, RecordingOutcome};
use recordings::RecordingRun;

use crate::builds::Builds;
use crate::cell::Cell;
use crate::chapter::Chapter;
use crate::child_handle::ChildHandle;
use crate::plan::Plan;
use crate::progress::Progress;
use crate::protocol::{Ask, Request};
use crate::run_header::{self, RunLog};
use crate::temporary::Remover;

/// Records the benchmarks whose name contains `filter`, if they have a plan
/// for recording. Returns a run for each experiment with such benchmarks; a
/// failed recording gives the reason. The calling program has to be able to
/// serve as its own child, as [`crate::main`] does.
///
/// Fails if there is no such benchmark, or if the sources of the package
/// cannot be read.
pub(crate) fn record_run(
    chapter: &Chapter,
    plan: &Plan,
    filter: &str,
    machine: &str,
) -> Result<Vec<RecordingRun>> {
    let named = chapter
        .all_cells()
        .map(|(of, cell)| (&of.name, cell, of.cell_name(cell)));
    let wanted: Vec<_> = named
        .filter(|(_, cell, name)| {
            cell.recording.is_some() && name.contains(filter)
        })
        .collect();
    ensure!(
        !wanted.is_empty(),
        "no cell that contains {filter:?} has a recording"
    );
    let workloads = run_header::workloads(chapter)?;
    let progress = Progress::new(wanted.len());
    let _lock = RunLock::acquire(|text| progress.note(text));
    let _remover = Remover::of_this_run();
    let builds = Builds::as_it_is()?;
    let own = CpuUse::begin();
    let mut log =
        RunLog::begin(chapter, plan, machine, workloads, &builds, own)?;
    log.header.processes = PROCESSES;
    log.header.rounds = None;
    let mut all: Vec<(&str, Recording)> = Vec::new();
    for (experiment, cell, name) in wanted {
        progress.stage(&format!("recording {name}"));
        let outcome = match recorded(name.clone(), cell, &builds) {
            Ok(recorded) => RecordingOutcome::Recorded(Box::new(recorded)),
            Err(reason) => {
                progress.note(&format!("{name} failed: {reason}"));
                RecordingOutcome::Failed(reason)
            }
        };
        let contender = cell.contender.clone();
        let parameters = cell.parameters.clone();
        all.push((experiment, Recording { contender, parameters, outcome }));
        progress.advance();
    }
    log.end();
    progress.finish(log.began.elapsed());
    let of_one = all.chunk_by(|(one, _), (other, _)| one == other);
    let run = |of: &[(&str, Recording)]| RecordingRun {
        header: log.header_of(of[0].0, of.len()),
        recordings: of.iter().map(|(_, recording)| recording.clone()).collect(),
    };
    Ok(of_one.map(run).collect())
}

/// Records a benchmark in several processes. Each process is killed
/// afterwards, which also ends its recording.
fn recorded(
    name: String,
    cell: &Cell,
    builds: &Builds,
) -> Result<Recorded, String> {
    let request = Request { cell: name, is_twin: false, ask: Ask::Record };
    let record = |process| {
        let mut child = ChildHandle::of(builds.of_process(process).1);
        child.ask(&request, cell.time_limit)
    };
    put_together((0..PROCESSES).map(record).collect::<Result<_, _>>()?)
}
