//! The parent process: links the program, calibrates, asks children for visits in
//! shuffled rounds, then for counts, and makes rows of what they say.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::{bail, Result};
use fastrand::Rng;
use host::cpu_use::CpuUse;
use host::fingerprint;
use host::quiet::{wait_for_quiet, Quiet};
use host::run_lock::RunLock;
use measurement::{Profile, Row, Run, RunHeader};

use crate::builds::Builds;
use crate::candidate::{Candidate, Candidates};
use crate::chapter::Chapter;
use crate::child_handle::ChildHandle;
use crate::counters::{CallsBy, Pass};
use crate::groups::groups;
use crate::plan::Plan;
use crate::progress::Progress;
use crate::protocol::{Ask, CellId, Reply, Request};
use crate::rounds::Rounds;
use crate::run_header;

/// How many samples are counted at once: enough for the kernel's clock of CPU
/// time, which is coarse.
const SAMPLES_COUNTED: u32 = 10;

/// For system calls fewer are enough.
const SAMPLES_OF_CALLS: u32 = 2;

/// Measures the cells whose name contains `filter`. Returns a run for each
/// experiment that has any, all of the same rounds. The program that calls this
/// has to be able to serve as its own child, as [`crate::main`] does.
///
/// # Errors
///
/// If no cell contains `filter`, or the package's sources cannot be read. A cell
/// that fails is a row.
pub fn run(
    chapter: &Chapter,
    plan: &Plan,
    filter: &str,
    machine: &str,
) -> Result<Vec<Run>> {
    let mut candidates = candidates(chapter, plan, filter);
    let chosen = candidates.values().filter(|c| !c.is_twin).count();
    if chosen == 0 {
        let named = chapter.cells().filter(|(name, _)| name.contains(filter));
        let is_measured = named.map(|(_, cell)| cell.recording.is_none()).max();
        match is_measured {
            Some(true) => bail!(
                "only cells of the full profile contain {filter:?}: add --full"
            ),
            Some(false) => bail!(
                "only cells that are recorded contain {filter:?}: add --record"
            ),
            None => {
                bail!("no cell contains {filter:?}; --list prints their names")
            }
        }
    }
    let workloads = run_header::workloads(chapter)?;
    let progress = Progress::new(0);
    // Two runs at once would measure each other.
    let _lock = RunLock::acquire(|text| progress.note(text));

    let seed = fastrand::u64(..);
    let mut rng = Rng::with_seed(seed);
    let builds = builds(chapter, plan, &mut rng, &progress)?;
    let own = CpuUse::begin();
    wait(&own, plan, &progress);
    let mut header = run_header::begin(chapter, plan, machine, seed)?;
    header.builds = builds.seeds();
    header.host = Some(fingerprint::take());
    header.own_use = own.by().map(str::to_owned);
    let began = Instant::now();
    let before = own.now();
    progress.note(&format!(
        "{chosen} cells and {} twins, {} processes of {} rounds each",
        candidates.len() - chosen,
        plan.processes,
        plan.rounds
    ));
    calibrate(&mut candidates, &builds, plan, &progress)?;
    let groups = groups(&candidates, plan.processes * plan.rounds);
    let seed = rng.u64(..);
    let mut rounds =
        Rounds::new(plan, groups, &builds, &own, seed, began, &progress);
    rounds.visit(&mut candidates)?;
    header.processes = rounds.processes;
    header.log = rounds.log;
    for pass in [Pass::Meters, Pass::Calls] {
        let processes = header.processes;
        count(
            &mut candidates,
            &builds,
            pass,
            processes,
            plan,
            &mut rng,
            &progress,
        )?;
    }
    progress.finish(began.elapsed());
    if let (Some(before), Some(after)) = (before, own.now()) {
        let shares = after.since(&before);
        header.load = shares.foreign;
        header.steal = Some(shares.steal);
    }
    Ok(by_experiment(chapter, &header, &workloads, candidates))
}

/// Waits until nobody else uses the machine, within the plan's patience, and says
/// how that ended.
fn wait(own: &CpuUse, plan: &Plan, progress: &Progress) {
    match wait_for_quiet(own, plan.patience, |text| progress.note(text)) {
        Quiet::AtOnce => {}
        quiet @ Quiet::After(_) => progress.note(&quiet.to_string()),
        quiet @ Quiet::Never(..) => progress
            .note(&format!("{quiet}; it is measured all the same, and marked")),
        quiet @ Quiet::NotKnown => {
            progress.note(&format!("warning: {quiet}"));
        }
    }
}

/// A run for each experiment that was measured, with rows in the order of its
/// cells, a twin behind the cell that it is one of.
fn by_experiment(
    chapter: &Chapter,
    header: &RunHeader,
    workloads: &BTreeMap<String, String>,
    candidates: Candidates<'_>,
) -> Vec<Run> {
    let rounds = header.rounds.unwrap_or(1);
    let beyond: Vec<Row> = candidates
        .values()
        .filter_map(|c| c.beyond_baseline(candidates.values(), rounds))
        .collect();
    let measured = candidates
        .into_values()
        .flat_map(|c| c.into_rows(header.processes, rounds));
    let rows: Vec<Row> = measured.chain(beyond).collect();
    let mut runs = Vec::new();
    for experiment in &chapter.experiments {
        let is_of_it = |row: &&Row| row.experiment == experiment.name;
        let rows: Vec<Row> = rows.iter().filter(is_of_it).cloned().collect();
        if rows.is_empty() {
            continue;
        }
        let header = RunHeader {
            experiment: experiment.name.clone(),
            workload: workloads.get(&experiment.name).cloned(),
            rows: Some(rows.len()),
            ..header.clone()
        };
        runs.push(Run { header, rows });
    }
    runs
}

/// The links of the program that the processes run: another one each, or where
/// that cannot be had the one that there is, which is said.
fn builds(
    chapter: &Chapter,
    plan: &Plan,
    rng: &mut Rng,
    progress: &Progress,
) -> Result<Builds> {
    if !plan.relink {
        return Builds::as_it_is();
    }
    progress.stage("linking the program anew for each process");
    Builds::link(chapter, plan.processes, rng).or_else(|error| {
        progress.note(&format!(
            "warning: every process runs the same link of the program, so how much the place of its code matters is not seen: {error:#}"
        ));
        Builds::as_it_is()
    })
}

/// The cells of this profile and filter that are measured, and of each group a twin for each kind of
/// which it holds several: of the cell that says so, else of the baseline, else of
/// the first.
fn candidates<'a>(
    chapter: &'a Chapter,
    plan: &Plan,
    filter: &str,
) -> Candidates<'a> {
    let candidate = |(index, (experiment, cell)): (usize, _)| {
        let place = CellId { index, is_twin: false };
        (place, Candidate::new(experiment, cell, false, plan.profile))
    };
    let wanted = |(_, candidate): &(CellId, Candidate<'_>)| {
        let in_profile =
            plan.profile == Profile::Full || !candidate.cell.full_only;
        let is_measured = candidate.cell.recording.is_none();
        is_measured && in_profile && candidate.name().contains(filter)
    };
    let mut candidates: Candidates<'a> =
        chapter.all_cells().enumerate().map(candidate).filter(wanted).collect();
    let mut groups: BTreeMap<(&str, String, &str), Vec<CellId>> =
        BTreeMap::new();
    for (&place, candidate) in &candidates {
        let Candidate { experiment, cell, group, .. } = candidate;
        if let Some(kind) = cell.twinned_as() {
            let key = (experiment.name.as_str(), group.clone(), kind);
            groups.entry(key).or_default().push(place);
        }
    }
    let twins: Vec<CellId> = groups
        .into_values()
        .filter(|places| places.len() > 1)
        .map(|places| {
            let is_baseline = |place: &&CellId| {
                let candidate = &candidates[place];
                candidate.cell.contender == candidate.experiment.baseline
            };
            let is_named = |place: &&CellId| candidates[place].cell.is_twinned;
            let named = places.iter().find(is_named);
            *named
                .or_else(|| places.iter().find(is_baseline))
                .unwrap_or(&places[0])
        })
        .collect();
    for original in twins {
        let Candidate { experiment, cell, .. } = candidates[&original];
        let place = CellId { is_twin: true, ..original };
        let twin = Candidate::new(experiment, cell, true, plan.profile);
        candidates.insert(place, twin);
    }
    candidates
}

/// Asks a child for each cell's number of operations. The parent itself runs no
/// workload, so none can take it down.
fn calibrate(
    candidates: &mut Candidates<'_>,
    builds: &Builds,
    plan: &Plan,
    progress: &Progress,
) -> Result<()> {
    progress.stage("finding out how many operations fill a sample");
    let sample_ns = plan.sample.as_secs_f64() * 1e9;
    let mut child = ChildHandle::of(builds.of_process(0).1);
    for (&cell, candidate) in candidates.iter_mut() {
        if !candidate.is_timed() {
            // Of these the cell itself says which.
            candidate.rounds = plan.processes * plan.rounds;
            continue;
        }
        let request = Request { cell, ask: Ask::Calibrate { sample_ns } };
        match child.ask(&request, candidate.cell.time_limit) {
            Ok(Reply::Calibrated { operations, operation_ns }) => {
                let operation = Duration::from_secs_f64(operation_ns / 1e9);
                candidate.operations = operations;
                candidate.operation = operation;
                candidate.rounds = if candidate.cell.in_sweep {
                    plan.rounds_in_sweep(operation)
                } else {
                    plan.rounds_for(operation)
                };
            }
            Err(reason) => candidate.fail(reason, progress),
            Ok(other) => {
                bail!("the child answered another question: {other:?}")
            }
        }
    }
    let visits = candidates.values().map(|c| c.visits_in(plan));
    progress.expect(visits.sum());
    Ok(())
}

/// Counts, in children of their own: counting disturbs.
fn count(
    candidates: &mut Candidates<'_>,
    builds: &Builds,
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
    for process in 0..processes {
        let (_, program) = builds.of_process(process);
        let mut child = if is_traced {
            ChildHandle::traced(program)
        } else {
            ChildHandle::of(program)
        };
        for cell in shuffled(candidates, rng, |c| c.is_counted(pass)) {
            let candidate =
                candidates.get_mut(&cell).expect("orders hold candidates");
            let sample = candidate.operations;
            let (operations, ask) = if is_traced {
                let operations = part_traced(sample);
                (operations, Ask::Trace { operations })
            } else {
                let samples = match pass {
                    Pass::Meters => SAMPLES_COUNTED,
                    Pass::Calls => SAMPLES_OF_CALLS,
                };
                let operations = candidate.fill(samples, plan.sample);
                (operations, Ask::Count { pass, operations })
            };
            let limit = candidate.cell.time_limit;
            match child.ask(&Request { cell, ask }, limit) {
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
fn shuffled(
    candidates: &Candidates<'_>,
    rng: &mut Rng,
    wanted: impl Fn(&Candidate<'_>) -> bool,
) -> Vec<CellId> {
    let chosen = candidates.iter().filter(|(_, candidate)| {
        candidate.failed.is_none() && wanted(candidate)
    });
    let mut order: Vec<CellId> = chosen.map(|(&cell, _)| cell).collect();
    rng.shuffle(&mut order);
    order
}
