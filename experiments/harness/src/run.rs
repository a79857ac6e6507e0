//! The parent process: calibrates, asks children for visits in shuffled rounds,
//! then for counts and readings, and makes rows of what they say.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::{bail, ensure, Result};
use fastrand::Rng;
use measurement::{Profile, Row, Run};

use crate::candidate::Candidate;
use crate::chapter::{Cell, Chapter, Experiment};
use crate::counters::{CallsBy, Pass};
use crate::host::{self, CpuTime};
use crate::plan::Plan;
use crate::progress::Progress;
use crate::protocol::{Ask, Reply, Request};
use crate::rounds::Rounds;
use crate::worker::Worker;
use crate::{floor, header};

/// How many samples are counted at once: enough for the kernel's clock of CPU
/// time, which is coarse.
const SAMPLES_COUNTED: u32 = 10;

/// For system calls fewer are enough.
const SAMPLES_OF_CALLS: u32 = 2;

/// The cells of a run, by their place in [`all_cells`].
pub(crate) type Candidates<'a> = BTreeMap<usize, Candidate<'a>>;

/// Every cell of the chapter and of the noise floor, in an order that parent and
/// child agree on.
pub(crate) fn all_cells<'a>(
    chapter: &'a Chapter,
    floor: &'a [Experiment],
) -> impl Iterator<Item = (&'a Experiment, &'a Cell)> {
    chapter.experiments.iter().chain(floor).flat_map(|experiment| {
        experiment.cells.iter().map(move |cell| (experiment, cell))
    })
}

/// Measures the cells whose name contains `filter`, or without one only the
/// noise floor. The program that calls this has to be able to serve as its own
/// child, as [`crate::main`] does.
///
/// # Errors
///
/// If no cell contains `filter`, or the package's sources cannot be read. A cell
/// that fails is a row.
pub fn run(
    chapter: &Chapter,
    plan: &Plan,
    filter: Option<&str>,
    machine: &str,
) -> Result<Run> {
    let floor = floor::experiments();
    let mut candidates = candidates(chapter, &floor, plan, filter);
    let chosen = candidates.values().filter(|c| !c.is_floor).count();
    if let Some(filter) = filter {
        let is_named =
            || chapter.cells().any(|(name, _)| name.contains(filter));
        ensure!(
            chosen > 0 || !is_named(),
            "only cells of the full profile contain {filter:?}: add --full"
        );
        ensure!(
            chosen > 0,
            "no cell contains {filter:?}; --list prints their names"
        );
    }
    let progress =
        Progress::new(candidates.len() * plan.processes * plan.rounds);
    // Two runs at once would measure each other.
    let _alone = host::alone(|text| progress.note(text));

    let began = Instant::now();
    let before = CpuTime::now(None);
    let seed = fastrand::u64(..);
    let mut header = header::begin(chapter, plan, machine, seed)?;
    progress.note(&format!(
        "{chosen} cells, {} processes of {} rounds each, and identical contenders for the noise floor",
        plan.processes, plan.rounds
    ));
    calibrate(&mut candidates, plan, &progress)?;
    let mut rounds = Rounds::new(plan, seed, &progress);
    rounds.visit(&mut candidates, began)?;
    header.processes = rounds.processes;
    header.log = rounds.log;
    let mut rng = Rng::with_seed(seed);
    for pass in [Pass::Meters, Pass::Calls] {
        count(
            &mut candidates,
            pass,
            header.processes,
            plan,
            &mut rng,
            &progress,
        )?;
    }
    read(&mut candidates, header.processes, &mut rng, &progress)?;
    progress.finish(began.elapsed());

    let twin = |class: &str, contender: &str| {
        let is_twin = |c: &&Candidate<'_>| {
            c.is_floor
                && c.failed.is_none()
                && c.experiment.name == class
                && c.cell.contender == contender
        };
        candidates.values().find(is_twin).map(|c| c.points.clone())
    };
    header.floor = floor::floors(twin, header.processes, plan.rounds);
    if let (Some(before), Some(after)) = (before, CpuTime::now(None)) {
        let (load, steal) = after.since(before);
        header.load = load;
        header.steal = Some(steal);
    }
    let beyond = candidates.values().filter_map(|c| {
        c.beyond_baseline(candidates.values(), header.processes, plan.rounds)
    });
    let beyond: Vec<Row> = beyond.collect();
    let measured = candidates.into_values().filter(|c| !c.is_floor);
    let rows = measured.flat_map(|c| c.into_rows(header.processes));
    let rows: Vec<Row> = rows.chain(beyond).collect();
    header.rows = Some(rows.len());
    Ok(Run { header, rows })
}

/// The cells of this profile and filter, and the floor's.
fn candidates<'a>(
    chapter: &'a Chapter,
    floor: &'a [Experiment],
    plan: &Plan,
    filter: Option<&str>,
) -> Candidates<'a> {
    let own_cells = chapter.cells().count();
    let all = all_cells(chapter, floor).enumerate();
    let candidate = |(index, (experiment, cell))| {
        let is_floor = index >= own_cells;
        (index, Candidate::new(experiment, cell, is_floor, plan.profile))
    };
    let wanted = |(_, candidate): &(usize, Candidate<'_>)| {
        let in_profile =
            plan.profile == Profile::Full || !candidate.cell.full_only;
        let named =
            filter.is_some_and(|filter| candidate.name().contains(filter));
        candidate.is_floor || (in_profile && named)
    };
    all.map(candidate).filter(wanted).collect()
}

/// Asks a child for each cell's number of operations. The parent itself runs no
/// workload, so none can take it down.
fn calibrate(
    candidates: &mut Candidates<'_>,
    plan: &Plan,
    progress: &Progress,
) -> Result<()> {
    progress.stage("finding out how many operations fill a sample");
    let sample_ns = plan.sample.as_secs_f64() * 1e9;
    let mut worker = Worker::default();
    for (&cell, candidate) in candidates.iter_mut().filter(|c| c.1.is_timed()) {
        let request = Request { cell, ask: Ask::Calibrate { sample_ns } };
        match worker.ask(&request, candidate.cell.time_limit) {
            Ok(Reply::Calibrated { operations, operation_ns }) => {
                let operation = Duration::from_secs_f64(operation_ns / 1e9);
                candidate.operations = operations;
                candidate.operation = operation;
                candidate.visits = match candidate.cell.in_sweep {
                    true => plan.rounds_in_sweep(operation),
                    false => plan.rounds_for(operation),
                };
            }
            Err(reason) => candidate.fail(reason, progress),
            Ok(other) => {
                bail!("the child answered another question: {other:?}")
            }
        }
    }
    let visits = candidates.values().map(|c| c.visits * plan.processes);
    progress.expect(visits.sum());
    Ok(())
}

/// Counts, in children of their own: counting disturbs.
fn count(
    candidates: &mut Candidates<'_>,
    pass: Pass,
    processes: usize,
    plan: &Plan,
    rng: &mut Rng,
    progress: &Progress,
) -> Result<()> {
    if candidates.values().any(|c| c.is_counted(pass)) {
        progress.stage(match pass {
            Pass::Meters => "counting, in processes of their own",
            Pass::Calls => "counting system calls",
        });
    }
    let is_traced = pass == Pass::Calls && CallsBy::here() == CallsBy::Ptrace;
    for _ in 0..processes {
        let mut worker = match is_traced {
            true => Worker::traced(),
            false => Worker::default(),
        };
        for cell in shuffled(candidates, rng, |c| c.is_counted(pass)) {
            let candidate =
                candidates.get_mut(&cell).expect("orders hold candidates");
            let sample = candidate.operations;
            let (operations, ask) = match is_traced {
                true => {
                    let operations = part_traced(sample);
                    (operations, Ask::Trace { operations })
                }
                false => {
                    let samples = match pass {
                        Pass::Meters => SAMPLES_COUNTED,
                        Pass::Calls => SAMPLES_OF_CALLS,
                    };
                    let operations = candidate.fill(samples, plan.sample);
                    (operations, Ask::Count { pass, operations })
                }
            };
            let limit = candidate.cell.time_limit;
            match worker.ask(&Request { cell, ask }, limit) {
                Ok(Reply::Counted { counts }) => {
                    candidate.counted(pass, counts);
                }
                Ok(Reply::Traced { calls }) => {
                    candidate.traced(&calls, operations);
                }
                Err(reason) => candidate.not_counted(pass, &reason, progress),
                Ok(other) => {
                    bail!("the child answered another question: {other:?}")
                }
            }
        }
    }
    Ok(())
}

/// How many of a sample's operations are traced: a part, but not a single one of
/// several, which would have no lead-in.
fn part_traced(sample: u64) -> u64 {
    match sample {
        1 => 1,
        _ => (sample / 4).max(2),
    }
}

/// The cells that have not failed and are wanted, in an order that is drawn anew.
pub(crate) fn shuffled(
    candidates: &Candidates<'_>,
    rng: &mut Rng,
    wanted: impl Fn(&Candidate<'_>) -> bool,
) -> Vec<usize> {
    let chosen = candidates.iter().filter(|(_, candidate)| {
        candidate.failed.is_none() && wanted(candidate)
    });
    let mut order: Vec<usize> = chosen.map(|(&cell, _)| cell).collect();
    rng.shuffle(&mut order);
    order
}

/// Asks for readings, in children of their own.
fn read(
    candidates: &mut Candidates<'_>,
    processes: usize,
    rng: &mut Rng,
    progress: &Progress,
) -> Result<()> {
    if candidates.values().all(|c| c.is_timed()) {
        return Ok(());
    }
    for process in 0..processes {
        progress.stage(&format!("readings, {} of {processes}", process + 1));
        let mut worker = Worker::default();
        for cell in shuffled(candidates, rng, |c| !c.is_timed()) {
            let candidate =
                candidates.get_mut(&cell).expect("orders hold candidates");
            let request = Request { cell, ask: Ask::Read };
            match worker.ask(&request, candidate.cell.time_limit) {
                Ok(Reply::Read { figures }) => candidate.read(&figures),
                Err(reason) => candidate.fail(reason, progress),
                Ok(other) => {
                    bail!("the child answered another question: {other:?}")
                }
            }
        }
    }
    Ok(())
}
