//! The parent process of a run: links the program, calibrates, has child
//! processes measure in shuffled rounds and then count events, and turns the
//! results into rows.

mod calibrate;
mod count;
mod rounds;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{bail, Result};
use fastrand::Rng;
use host::cpu_use::CpuUse;
use host::quiet::{wait_for_quiet, Quiet};
use host::run_lock::RunLock;
use measurement::{Profile, Row, Run};
use serde::de::DeserializeOwned;

use crate::builds::Builds;
use crate::candidate::Candidate;
use crate::cell::{Cell, CellKind};
use crate::chapter::Chapter;
use crate::child_handle::ChildHandle;
use crate::counter::Pass;
use crate::experiment::Experiment;
use crate::groups::{groups, Group};
use crate::plan::Plan;
use crate::progress::Progress;
use crate::protocol::{Ask, Request};
use crate::run_header::{self, RunLog};
use crate::temporary::Remover;

struct Running<'a> {
    plan: &'a Plan,
    candidates: Vec<Candidate<'a>>,
    groups: Vec<Group>,
    builds: Builds,
    rng: Rng,
    progress: Progress,
    log: RunLog,
    repeats_left: usize,
}

/// Measures the benchmarks whose name contains `filter`. Returns a run for
/// each experiment with such benchmarks, all from the same rounds. The
/// calling program must be able to act as its own child process, as
/// [`crate::main`] does.
///
/// Fails if no benchmark's name contains `filter`, or if the sources of the
/// package cannot be read. A benchmark that fails is a row of the run.
pub fn run(
    chapter: &Chapter,
    plan: &Plan,
    filter: &str,
    machine: &str,
) -> Result<Vec<Run>> {
    let candidates = candidates(chapter, plan, filter);
    if candidates.is_empty() {
        let named = chapter.cells_with(filter);
        match named.map(|(_, cell)| cell.recording.is_none()).max() {
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
    // Two runs at the same time would disturb each other.
    let _lock = RunLock::acquire(|text| progress.note(text));

    let seed = fastrand::u64(..);
    let mut rng = Rng::with_seed(seed);
    // The remover is dropped after the child processes, which would otherwise
    // go on creating directories.
    let _remover = Remover::of_this_run();
    let builds = Builds::new(chapter, plan, &mut rng, &progress)?;
    let own = CpuUse::begin();
    wait(&own, plan, &progress);
    let mut log =
        RunLog::begin(chapter, plan, machine, workloads, &builds, own)?;
    log.header.seed = Some(seed);
    let mut running = Running {
        plan,
        candidates,
        groups: Vec::new(),
        builds,
        rng,
        progress,
        log,
        repeats_left: 0,
    };
    running.calibrate();
    running.groups = groups(&running.candidates, plan.all_rounds());
    running.visit();
    for pass in [Pass::Meters, Pass::Calls, Pass::Machine] {
        running.count(pass);
    }
    running.log.end();
    running.progress.finish(running.log.began.elapsed());
    Ok(running.runs(chapter))
}

impl Running<'_> {
    fn ask<Answer: DeserializeOwned>(
        &self,
        child: &mut ChildHandle,
        candidate: usize,
        ask: Ask,
    ) -> Result<Answer, String> {
        let Candidate { cell, name, is_twin, .. } = &self.candidates[candidate];
        let request = Request { cell: name.clone(), is_twin: *is_twin, ask };
        child.ask(&request, cell.time_limit)
    }

    fn fail(&mut self, candidate: usize, reason: String) {
        let candidate = &mut self.candidates[candidate];
        self.progress.note(&format!("failed: {}: {reason}", candidate.name));
        candidate.failed = Some(reason);
    }

    /// Returns a run for each measured experiment. Rows are in the order of
    /// the experiment's benchmarks. If a benchmark was measured twice, to
    /// compare it with itself, the row of the second measurement follows that
    /// of the first.
    fn runs(&self, chapter: &Chapter) -> Vec<Run> {
        let all = &self.candidates;
        let run = |Experiment { name, .. }: &Experiment| {
            let of_it = || all.iter().filter(|c| c.experiment.name == *name);
            let measured = of_it().flat_map(|c| c.rows(self.plan));
            let beyond =
                of_it().filter_map(|c| c.beyond_baseline(all, self.plan));
            let rows: Vec<Row> = measured.chain(beyond).collect();
            let header = self.log.header_of(name, rows.len());
            (!rows.is_empty()).then_some(Run { header, rows })
        };
        chapter.experiments.iter().filter_map(run).collect()
    }
}

/// Waits until no other program uses the machine, but no longer than the plan
/// allows, and reports the outcome.
fn wait(own: &CpuUse, plan: &Plan, progress: &Progress) {
    let quiet = wait_for_quiet(own, plan.patience, |text| progress.note(text));
    progress.note(&match quiet {
        Quiet::AtOnce => return,
        Quiet::After(_) => quiet.to_string(),
        Quiet::Never(..) => {
            format!("{quiet}; it is measured all the same, and marked")
        }
        Quiet::NotKnown => format!("warning: {quiet}"),
    });
}

/// Returns the benchmarks to measure, according to profile and filter, and
/// twins. If a group has several benchmarks of a kind, one of them gets a
/// twin, that is, it is measured twice: the one that requests it, otherwise
/// the baseline, otherwise the first.
fn candidates<'a>(
    chapter: &'a Chapter,
    plan: &Plan,
    filter: &str,
) -> Vec<Candidate<'a>> {
    let is_wanted = |(experiment, cell): &(&Experiment, &Cell)| {
        cell.recording.is_none()
            && (plan.profile == Profile::Full || !cell.full_only)
            && experiment.cell_name(cell).contains(filter)
    };
    let chosen: Vec<_> = chapter.all_cells().filter(is_wanted).collect();
    let mut groups: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (place, (experiment, cell)) in chosen.iter().enumerate() {
        if cell.kind != CellKind::Readings {
            let key = (&experiment.name, cell.group_name(), cell.kind);
            groups.entry(key).or_default().push(place);
        }
    }
    let preference = |place: &&usize| {
        let (experiment, cell) = chosen[**place];
        let is_baseline = cell.contender == experiment.baseline;
        (!cell.is_twinned, !cell.is_twinned && !is_baseline)
    };
    let groups = groups.values().filter(|of| of.len() > 1);
    let twinned: BTreeSet<&usize> =
        groups.filter_map(|of| of.iter().min_by_key(preference)).collect();
    let candidates = chosen.iter().enumerate().flat_map(|(place, of)| {
        let of = |is_twin| Candidate::new(of.0, of.1, is_twin, plan.profile);
        let twin = twinned.contains(&place).then(|| of(true));
        [Some(of(false)), twin].into_iter().flatten()
    });
    candidates.collect()
}
