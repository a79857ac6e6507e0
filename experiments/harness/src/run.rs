//! The parent process: calibrates, asks children for visits in shuffled rounds,
//! and makes rows of the points.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::{bail, ensure, Result};
use measurement::statistics::rounds_visited;
use measurement::{Measured, Outcome, Profile, Row, Run, Source};

use crate::chapter::{Cell, Chapter, Experiment};
use crate::host::{self, CpuTime};
use crate::plan::Plan;
use crate::progress::Progress;
use crate::protocol::{Reply, Request};
use crate::worker::Worker;
use crate::{floor, header};

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

/// A cell that is being measured.
struct Candidate<'a> {
    experiment: &'a Experiment,
    cell: &'a Cell,
    is_floor: bool,
    /// Operations in a sample.
    operations: u64,
    /// In how many rounds of each process the cell is visited.
    visits: usize,
    /// Nanoseconds per unit, one a visit, in (process, round) order.
    points: Vec<f64>,
    failed: Option<String>,
}

/// Measures the cells whose name contains `filter`, or without one only the
/// noise floor.
pub(crate) fn run(
    chapter: &Chapter,
    plan: &Plan,
    filter: Option<&str>,
    machine: &str,
) -> Result<Run> {
    let floor = floor::experiments();
    let mut candidates = candidates(chapter, &floor, plan, filter);
    let chosen = candidates.values().filter(|c| !c.is_floor).count();
    if let Some(filter) = filter {
        ensure!(
            chosen > 0,
            "no cell of the {} profile contains {filter:?}; --list prints their names",
            plan.profile
        );
    }
    let progress =
        Progress::new(candidates.len() * plan.processes * plan.rounds);
    // Two runs at once would measure each other.
    let _alone = host::alone(|text| progress.note(text));

    let began = Instant::now();
    let before = CpuTime::now();
    let seed = fastrand::u64(..);
    let mut header = header::begin(chapter, plan, machine, seed)?;
    progress.note(&format!(
        "{chosen} cells, {} processes of {} rounds each, and identical contenders for the noise floor",
        plan.processes, plan.rounds
    ));
    calibrate(&mut candidates, plan, &progress)?;
    visit(&mut candidates, plan, seed, &progress)?;
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
    header.floor = floor::floors(twin, plan.processes, plan.rounds);
    if let (Some(before), Some(after)) = (before, CpuTime::now()) {
        let (load, steal) = after.since(before);
        header.load = load;
        header.steal = Some(steal);
    }
    let measured = candidates.into_values().filter(|c| !c.is_floor);
    let rows: Vec<Row> = measured.map(|c| c.into_row(plan)).collect();
    header.rows = Some(rows.len());
    Ok(Run { header, rows })
}

/// The cells of this profile and filter, and the floor's, by their place among
/// all.
fn candidates<'a>(
    chapter: &'a Chapter,
    floor: &'a [Experiment],
    plan: &Plan,
    filter: Option<&str>,
) -> BTreeMap<usize, Candidate<'a>> {
    let own_cells = chapter.cell_names().len();
    let all = all_cells(chapter, floor).enumerate();
    let candidate = |(index, (experiment, cell))| {
        let candidate = Candidate {
            experiment,
            cell,
            is_floor: index >= own_cells,
            operations: 1,
            visits: 0,
            points: Vec::new(),
            failed: None,
        };
        (index, candidate)
    };
    let wanted = |(_, candidate): &(usize, Candidate<'_>)| {
        let Candidate { experiment, cell, is_floor, .. } = candidate;
        let in_profile = plan.profile == Profile::Full || !cell.full_only;
        let name = experiment.cell_name(cell);
        let named = filter.is_some_and(|filter| name.contains(filter));
        *is_floor || (in_profile && named)
    };
    all.map(candidate).filter(wanted).collect()
}

/// Asks a child for each cell's number of operations. The parent itself runs no
/// workload, so none can take it down.
fn calibrate(
    candidates: &mut BTreeMap<usize, Candidate<'_>>,
    plan: &Plan,
    progress: &Progress,
) -> Result<()> {
    progress.stage("finding out how many operations fill a sample");
    let mut worker = Worker::default();
    for (&cell, candidate) in candidates.iter_mut() {
        let sample_ns = plan.sample.as_secs_f64() * 1e9;
        let request = Request::Calibrate { cell, sample_ns };
        match worker.ask(&request, candidate.cell.time_limit) {
            Ok(Reply::Calibrated { operations, operation_ns }) => {
                let operation = Duration::from_secs_f64(operation_ns / 1e9);
                candidate.operations = operations;
                candidate.visits = plan.rounds_for(operation);
            }
            Ok(Reply::Failed { reason }) | Err(reason) => {
                candidate.fail(reason, progress);
            }
            Ok(Reply::Visited { .. }) => {
                bail!("the child answered another question")
            }
        }
    }
    let visits = candidates.values().map(|c| c.visits * plan.processes);
    progress.expect(visits.sum());
    Ok(())
}

/// Asks one child after the other for its rounds of visits.
fn visit(
    candidates: &mut BTreeMap<usize, Candidate<'_>>,
    plan: &Plan,
    seed: u64,
    progress: &Progress,
) -> Result<()> {
    let mut rng = fastrand::Rng::with_seed(seed);
    for process in 0..plan.processes {
        let stage = format!("process {} of {}", process + 1, plan.processes);
        progress.stage(&stage);
        let mut worker = Worker::default();
        for round in 0..plan.rounds {
            let mut order: Vec<usize> = candidates
                .iter()
                .filter(|(_, c)| {
                    let rounds = rounds_visited(c.visits, plan.rounds, process);
                    c.failed.is_none() && rounds.contains(&round)
                })
                .map(|(&cell, _)| cell)
                .collect();
            rng.shuffle(&mut order);
            for cell in order {
                let candidate =
                    candidates.get_mut(&cell).expect("orders hold candidates");
                let request = Request::Visit {
                    cell,
                    operations: candidate.operations,
                    warm_up_ns: plan.warm_up.as_nanos() as u64,
                };
                match worker.ask(&request, candidate.cell.time_limit) {
                    Ok(Reply::Visited { operation_ns }) => {
                        let per = candidate.cell.per as f64;
                        candidate.points.push(five_digits(operation_ns / per));
                    }
                    Ok(Reply::Failed { reason }) | Err(reason) => {
                        candidate.fail(reason, progress);
                    }
                    Ok(Reply::Calibrated { .. }) => {
                        bail!("the child answered another question")
                    }
                }
                progress.advance();
            }
        }
    }
    Ok(())
}

impl Candidate<'_> {
    fn fail(&mut self, reason: String, progress: &Progress) {
        let name = self.experiment.cell_name(self.cell);
        progress.note(&format!("failed: {name}: {reason}"));
        self.failed = Some(reason);
    }

    fn into_row(self, plan: &Plan) -> Row {
        let outcome = match self.failed {
            Some(reason) => Outcome::Failed(reason),
            None => Outcome::Measured(Measured::from_points(
                self.points,
                plan.processes,
                Source::Criterion,
            )),
        };
        let unit = measurement::unit_of(&self.experiment.quantity);
        Row {
            experiment: self.experiment.name.clone(),
            contender: self.cell.contender.clone(),
            parameters: self.cell.parameters.clone(),
            quantity: self.experiment.quantity.clone(),
            unit: unit.expect("Experiment::new has checked the quantity"),
            difference: false,
            outcome,
        }
    }
}

/// Rounds to five significant digits: no visit is more precise, and files stay
/// readable.
fn five_digits(value: f64) -> f64 {
    format!("{value:.4e}").parse().expect("a number was printed")
}
