//! Shuffled rounds of groups, child after child.

use std::time::Instant;

use anyhow::{bail, Result};
use fastrand::Rng;
use host::cpu_use::{CpuUse, Shares};
use host::fingerprint::line_now;
use measurement::{is_disturbed, BestProbe, RoundLog};

use crate::builds::Builds;
use crate::candidate::{Candidates, Visit};
use crate::child_handle::ChildHandle;
use crate::groups::Group;
use crate::plan::{Plan, Precision};
use crate::progress::Progress;
use crate::protocol::{Ask, CellId, Reply, Request, VisitOutcome};

/// How many visits of groups at most are done again, as a share of those planned:
/// on a machine that is never quiet a run ends as well, and says so.
const REPEATS: f64 = 0.5;

/// And one group's visit no more often than so: others are to have some left.
const REPEATS_IN_A_ROW: usize = 3;

pub(crate) struct Rounds<'a> {
    plan: &'a Plan,
    groups: Vec<Group>,
    builds: &'a Builds,
    own: &'a CpuUse,
    rng: Rng,
    began: Instant,
    progress: &'a Progress,
    repeats_left: usize,
    /// How many processes have done their rounds.
    pub(crate) processes: usize,
    pub(crate) log: Vec<RoundLog>,
    /// What was probed in each of the log's rounds.
    probes: Vec<Vec<f64>>,
}

/// A visit of a cell, and what it found.
type CellVisit = (CellId, Visit, VisitOutcome);

impl<'a> Rounds<'a> {
    pub(crate) fn new(
        plan: &'a Plan,
        groups: Vec<Group>,
        builds: &'a Builds,
        own: &'a CpuUse,
        seed: u64,
        began: Instant,
        progress: &'a Progress,
    ) -> Self {
        let planned = (plan.processes * plan.rounds * groups.len()) as f64;
        Rounds {
            plan,
            groups,
            builds,
            own,
            rng: Rng::with_seed(seed),
            began,
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
    ) -> Result<()> {
        for process in 0..self.plan.processes {
            let of = self.plan.processes;
            self.progress.stage(&format!("process {} of {of}", process + 1));
            self.process(candidates)?;
        }
        if let Some(precision) = self.plan.precision {
            self.refine(candidates, precision)?;
        }
        if let Some(best) = BestProbe::of(self.probes.concat()) {
            for (round, probes) in self.log.iter_mut().zip(&self.probes) {
                let slowed =
                    probes.iter().filter(|&&probe| best.is_slowed(probe));
                let share = slowed.count() as f64 / probes.len() as f64;
                round.slowed =
                    (!probes.is_empty()).then(|| (share * 1e4).round() / 1e4);
            }
        }
        let repeated: usize = self.log.iter().map(|r| r.repeated).sum();
        if repeated > 0 {
            self.progress.note(&format!(
                "{repeated} visits of groups were done again: others used the machine meanwhile"
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
    ) -> Result<()> {
        let within = format!("{} %", precision.share * 100.0);
        loop {
            let processes = self.processes;
            let wide: Vec<String> = candidates
                .values()
                .filter(|c| c.failed.is_none() && c.is_timed() && !c.is_twin)
                .filter(|c| {
                    c.so_far(self.plan.rounds).is_none_or(|interval| {
                        let half = (interval.high - interval.low) / 2.0;
                        half > precision.share * interval.estimate
                    })
                })
                .map(|c| c.name())
                .collect();
            if wide.is_empty() {
                let text = format!("every interval of this run's own visits is within {within} of its estimate, after {processes} processes; those that are printed are for the next run, and wider");
                self.progress.note(&text);
                return self.confirm(candidates, precision);
            }
            if !self.has_time_for_another(precision) {
                let budget = humantime::format_duration(precision.budget);
                self.progress.note(&format!(
                    "the time of {budget} is spent; not within {within}, after {processes} processes: {}",
                    wide.join("; ")
                ));
                return Ok(());
            }
            let planned = candidates.values().map(|c| c.visits_in(self.plan));
            let by_process = planned.sum::<usize>() / self.plan.processes;
            self.progress.expect(by_process * (processes + 1));
            self.progress.stage(&format!(
                "process {}: {} intervals are wider than {within}",
                processes + 1,
                wide.len()
            ));
            self.process(candidates)?;
        }
    }

    /// Whether one more process fits, which takes about as long as the last ones.
    fn has_time_for_another(&self, precision: Precision) -> bool {
        let next = self.began.elapsed() / self.processes as u32;
        self.began.elapsed() + next <= precision.budget
    }

    /// Visits everything again and says which times were found again. Who adds
    /// visits until intervals are narrow also stops where they are so by luck.
    fn confirm(
        &mut self,
        candidates: &mut Candidates<'_>,
        precision: Precision,
    ) -> Result<()> {
        let first = self.processes;
        let before: Vec<(CellId, f64)> = candidates
            .iter()
            .filter(|(_, c)| c.failed.is_none() && c.is_timed() && !c.is_twin)
            .filter_map(|(&place, candidate)| {
                Some((place, candidate.so_far(self.plan.rounds)?.estimate))
            })
            .collect();
        while self.processes < first + self.plan.processes
            && self.has_time_for_another(precision)
        {
            let place = self.processes - first + 1;
            self.progress.stage(&format!("fresh process {place}"));
            self.process(candidates)?;
        }
        let fresh = self.processes - first;
        if fresh == 0 {
            self.progress.note(
                "no time is left for fresh visits, so nothing confirms these intervals",
            );
            return Ok(());
        }
        let is_elsewhere = |&(place, before): &(CellId, f64)| {
            let candidate = &candidates[&place];
            let again = candidate.time_since(first * self.plan.rounds)?;
            let is_near = (again / before - 1.0).abs() <= precision.share;
            (!is_near).then(|| candidate.name())
        };
        let elsewhere: Vec<String> =
            before.iter().filter_map(is_elsewhere).collect();
        let mut text = format!(
            "{} of {} times were found again, within {} %, by {fresh} fresh processes",
            before.len() - elsewhere.len(),
            before.len(),
            precision.share * 100.0
        );
        if !elsewhere.is_empty() {
            text += &format!("; not: {}", elsewhere.join("; "));
        }
        self.progress.note(&text);
        Ok(())
    }

    /// One child's rounds, each through all groups in a shuffled order.
    fn process(&mut self, candidates: &mut Candidates<'_>) -> Result<()> {
        let (build, program) = self.builds.of_process(self.processes);
        let mut child = ChildHandle::of(program);
        for round in 0..self.plan.rounds {
            let round = self.processes * self.plan.rounds + round;
            let mut log =
                RoundLog { line_ns: line_now(), ..RoundLog::default() };
            let mut probes = Vec::new();
            let mut order: Vec<usize> = (0..self.groups.len()).collect();
            self.rng.shuffle(&mut order);
            let mut visited = 0;
            for group in order {
                let (found, shares, repeated) = self
                    .until_quiet(&mut child, candidates, group, round, build)?;
                if found.is_empty() {
                    continue;
                }
                visited += 1;
                log.load += shares.foreign;
                log.steal += shares.steal;
                log.repeated += repeated;
                for (place, visit, found) in found {
                    probes.push(visit.probe);
                    let candidate = candidates
                        .get_mut(&place)
                        .expect("groups hold candidates");
                    candidate.visited(visit, found);
                }
            }
            let share =
                |sum: f64| (sum / visited.max(1) as f64 * 1e4).round() / 1e4;
            (log.load, log.steal) = (share(log.load), share(log.steal));
            self.log.push(log);
            self.probes.push(probes);
        }
        self.processes += 1;
        Ok(())
    }

    /// Visits a group, and once more if others used the machine meanwhile. The
    /// figures have no say in that. Returns what was found, the shares of others
    /// and of the hypervisor, and how often it was done again.
    fn until_quiet(
        &mut self,
        child: &mut ChildHandle,
        candidates: &mut Candidates<'_>,
        group: usize,
        round: usize,
        build: usize,
    ) -> Result<(Vec<CellVisit>, Shares, usize)> {
        let mut repeated = 0;
        loop {
            let before = self.own.now();
            let found =
                self.there_and_back(child, candidates, group, round, build)?;
            let after = self.own.now();
            let shares = before.zip(after).map(|(b, a)| a.since(&b));
            let shares = shares.unwrap_or_default();
            let again = is_disturbed(shares.foreign, shares.steal)
                && !found.is_empty()
                && repeated < REPEATS_IN_A_ROW;
            if !again || self.repeats_left == 0 {
                return Ok((found, shares, repeated));
            }
            self.repeats_left -= 1;
            repeated += 1;
        }
    }

    /// Visits each cell of a group that is due, and then each again the other way
    /// round. In the first round of a process windows are among them, and on the
    /// way there what is read.
    fn there_and_back(
        &mut self,
        child: &mut ChildHandle,
        candidates: &mut Candidates<'_>,
        group: usize,
        round: usize,
        build: usize,
    ) -> Result<Vec<CellVisit>> {
        let mut order =
            self.groups[group].order(round, candidates, &mut self.rng);
        let is_first_round = round.is_multiple_of(self.plan.rounds);
        let mut visited = Vec::new();
        for back in [false, true] {
            if back {
                order.reverse();
            }
            for &place in &order {
                let candidate =
                    candidates.get_mut(&place).expect("groups hold candidates");
                if candidate.failed.is_some()
                    || !candidate.cell.is_visited(
                        self.plan,
                        is_first_round,
                        back,
                    )
                {
                    continue;
                }
                let ask = if candidate.is_timed() {
                    Ask::Visit {
                        operations: candidate.operations,
                        warm_up_ns: self.plan.warm_up.as_nanos() as u64,
                    }
                } else {
                    Ask::Take
                };
                let at = self.began.elapsed().as_millis() as u32;
                let request = Request { cell: place, ask };
                let limit = candidate.cell.time_limit;
                let reply = if candidate.cell.has_own_process() {
                    let (_, program) = self.builds.of_process(self.processes);
                    ChildHandle::of(program).ask(&request, limit)
                } else {
                    child.ask(&request, limit)
                };
                match reply {
                    Ok(Reply::Visited { found, probe_ns }) => {
                        let visit = Visit {
                            at,
                            turn: 2 * round as u32 + u32::from(back),
                            build: build as u32,
                            probe: probe_ns,
                        };
                        visited.push((place, visit, found));
                    }
                    Err(reason) => candidate.fail(reason, self.progress),
                    Ok(other) => {
                        bail!("the child answered another question: {other:?}")
                    }
                }
                self.progress.advance();
            }
        }
        Ok(visited)
    }
}
