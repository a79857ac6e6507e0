//! Shuffled rounds of visits, child after child.

use std::time::{Duration, Instant};

use anyhow::{bail, Result};
use fastrand::Rng;
use measurement::statistics::{median_interval, rounds_visited};
use measurement::{is_disturbed, RoundLog};

use crate::host::CpuTime;
use crate::plan::{Plan, Precision};
use crate::probe;
use crate::progress::Progress;
use crate::protocol::{Ask, Reply, Request};
use crate::run::{shuffled, Candidates};
use crate::worker::Worker;

/// How many rounds at most are done again, as a share of those planned: on a
/// machine that is never quiet a run ends as well, and says so.
const REPEATS: f64 = 0.5;

pub(crate) struct Rounds<'a> {
    plan: &'a Plan,
    rng: Rng,
    progress: &'a Progress,
    repeats_left: usize,
    /// How many processes have done their rounds.
    pub(crate) processes: usize,
    pub(crate) log: Vec<RoundLog>,
    /// What was probed in each of the log's rounds.
    probes: Vec<Vec<Duration>>,
}

/// The time of each cell that was visited, and of no other.
type Points = Vec<(usize, f64)>;

impl<'a> Rounds<'a> {
    pub(crate) fn new(
        plan: &'a Plan,
        seed: u64,
        progress: &'a Progress,
    ) -> Self {
        let planned = (plan.processes * plan.rounds) as f64;
        Rounds {
            plan,
            rng: Rng::with_seed(seed),
            progress,
            repeats_left: (planned * REPEATS) as usize,
            processes: 0,
            log: Vec::new(),
            probes: Vec::new(),
        }
    }

    /// Does the plan's processes, and as many more as its precision asks for
    /// within its budget of time.
    pub(crate) fn visit(
        &mut self,
        candidates: &mut Candidates<'_>,
        began: Instant,
    ) -> Result<()> {
        for process in 0..self.plan.processes {
            let of = self.plan.processes;
            self.progress.stage(&format!("process {} of {of}", process + 1));
            self.process(candidates)?;
        }
        if let Some(precision) = self.plan.precision {
            self.refine(candidates, precision, began)?;
        }
        let slowed = probe::slowed(&self.probes);
        for (round, slowed) in self.log.iter_mut().zip(slowed) {
            round.slowed = slowed;
        }
        let repeated: usize = self.log.iter().map(|r| r.repeated).sum();
        if repeated > 0 {
            self.progress.note(&format!(
                "{repeated} rounds were done again: others used the machine meanwhile"
            ));
        }
        Ok(())
    }

    /// Adds processes until every interval is as narrow as asked, or the time is
    /// up, and says which.
    fn refine(
        &mut self,
        candidates: &mut Candidates<'_>,
        precision: Precision,
        began: Instant,
    ) -> Result<()> {
        let within = format!("{} %", precision.share * 100.0);
        loop {
            let processes = self.processes;
            let wide: Vec<String> = candidates
                .values()
                .filter(|c| {
                    let measured = c.failed.is_none() && c.is_timed();
                    measured && !c.is_floor
                })
                .filter(|c| {
                    let interval = median_interval(&c.points, processes);
                    let half = (interval.high - interval.low) / 2.0;
                    half > precision.share * interval.estimate
                })
                .map(|c| c.name())
                .collect();
            if wide.is_empty() {
                let text = format!("every interval is within {within} of its estimate, after {processes} processes");
                self.progress.note(&text);
                return Ok(());
            }
            // The next process takes about as long as the last ones.
            let next = began.elapsed() / processes as u32;
            if began.elapsed() + next > precision.budget {
                let budget = humantime::format_duration(precision.budget);
                self.progress.note(&format!(
                    "the time of {budget} is spent; not within {within}, after {processes} processes: {}",
                    wide.join("; ")
                ));
                return Ok(());
            }
            let visits = candidates.values().map(|c| c.visits).sum::<usize>();
            self.progress.expect(visits * (processes + 1));
            self.progress.stage(&format!(
                "process {}: {} intervals are wider than {within}",
                processes + 1,
                wide.len()
            ));
            self.process(candidates)?;
        }
    }

    /// One child's rounds. A round during which others used the machine is done
    /// again; its times have no say in that.
    fn process(&mut self, candidates: &mut Candidates<'_>) -> Result<()> {
        let mut worker = Worker::default();
        for round in 0..self.plan.rounds {
            let mut repeated = 0;
            let (load, steal, points, probes) = loop {
                let before = CpuTime::now(worker.id());
                let (points, probes) =
                    self.round(&mut worker, candidates, round)?;
                let after = CpuTime::now(worker.id());
                let shares = before.zip(after).map(|(b, a)| a.since(b));
                let (load, steal) = shares.unwrap_or_default();
                let again = is_disturbed(load, steal) && !points.is_empty();
                if !again || self.repeats_left == 0 {
                    break (load, steal, points, probes);
                }
                self.repeats_left -= 1;
                repeated += 1;
            };
            let mut canary = None;
            for (cell, operation_ns) in points {
                let candidate =
                    candidates.get_mut(&cell).expect("rounds hold candidates");
                candidate.visited(operation_ns);
                if candidate.is_floor && canary.is_none() {
                    canary = candidate.points.last().copied();
                }
            }
            let slowed = None;
            self.log.push(RoundLog { canary, load, steal, slowed, repeated });
            self.probes.push(probes);
        }
        self.processes += 1;
        Ok(())
    }

    /// Visits each cell whose turn it is, in a shuffled order, and probes the
    /// machine after each.
    fn round(
        &mut self,
        worker: &mut Worker,
        candidates: &mut Candidates<'_>,
        round: usize,
    ) -> Result<(Points, Vec<Duration>)> {
        let (rounds, process) = (self.plan.rounds, self.processes);
        let order = shuffled(candidates, &mut self.rng, |c| {
            rounds_visited(c.visits, rounds, process).contains(&round)
        });
        let mut points = Points::new();
        let mut probes = Vec::new();
        for cell in order {
            let candidate =
                candidates.get_mut(&cell).expect("orders hold candidates");
            let ask = Ask::Visit {
                operations: candidate.operations,
                warm_up_ns: self.plan.warm_up.as_nanos() as u64,
            };
            let request = Request { cell, ask };
            match worker.ask(&request, candidate.cell.time_limit) {
                Ok(Reply::Visited { operation_ns }) => {
                    points.push((cell, operation_ns));
                }
                Err(reason) => candidate.fail(reason, self.progress),
                Ok(other) => {
                    bail!("the child answered another question: {other:?}")
                }
            }
            self.progress.advance();
            probes.push(probe::probe());
        }
        // In the order of the cells, not of the visits.
        points.sort_by_key(|(cell, _)| *cell);
        Ok((points, probes))
    }
}
