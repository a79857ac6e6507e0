//! The rounds of a run: child processes, one after the other, measure all
//! groups of benchmarks in shuffled order.

use host::cpu_use::Shares;
use host::fingerprint::line_now;
use measurement::{is_disturbed, RoundLog};

use super::Running;
use crate::candidate::{Candidate, Visit};
use crate::child_handle::ChildHandle;
use crate::plan::Plan;
use crate::protocol::Ask;

/// The maximum number of repeated measurements of groups, as a fraction of
/// the planned measurements. The limit ensures that a run ends even on a
/// machine that is never quiet.
const REPEATS: f64 = 0.5;

/// How many times in a row a group may be measured again. The limit leaves
/// repeats for other groups.
const REPEATS_IN_A_ROW: usize = 3;

/// Measurements, each with the index of its candidate.
type Visits = Vec<(usize, Visit)>;

impl Running<'_> {
    /// Runs all planned processes, one after the other.
    pub(super) fn visit(&mut self) {
        let (plan, groups) = (self.plan, self.groups.len());
        self.repeats_left =
            ((plan.all_rounds() * groups) as f64 * REPEATS) as usize;
        for process in 0..plan.processes {
            self.process(process);
        }
        let repeated = self.log.header.repeated();
        if repeated > 0 {
            self.progress.note(&format!(
                "{repeated} visits of groups were done again: others used the machine meanwhile"
            ));
        }
    }

    /// Runs the rounds of one child process. Each round measures all groups
    /// in a shuffled order.
    fn process(&mut self, process: usize) {
        let Plan { processes, rounds, .. } = *self.plan;
        let stage = format!("process {} of {processes}", process + 1);
        self.progress.stage(&stage);
        let mut child = ChildHandle::of(self.builds.of_process(process).1);
        for round in process * rounds..(process + 1) * rounds {
            let mut log =
                RoundLog { line_ns: line_now(), ..RoundLog::default() };
            let mut order: Vec<usize> = (0..self.groups.len()).collect();
            self.rng.shuffle(&mut order);
            let mut visited = 0;
            for group in order {
                let (visits, shares, repeated) =
                    self.until_quiet(&mut child, group, round);
                if visits.is_empty() {
                    continue;
                }
                visited += 1;
                log.load += shares.foreign;
                log.steal += shares.steal;
                log.repeated += repeated;
                for (place, visit) in visits {
                    self.candidates[place].visited(visit);
                }
            }
            log.load = share(log.load, visited.max(1));
            log.steal = share(log.steal, visited.max(1));
            self.log.header.log.push(log);
        }
    }

    /// Measures a group, and repeats that if other programs used the machine
    /// meanwhile. Whether to repeat never depends on the figures. Returns the
    /// measurements, the shares of CPU time that other programs and the
    /// hypervisor took, and the number of repeats.
    fn until_quiet(
        &mut self,
        child: &mut ChildHandle,
        group: usize,
        round: usize,
    ) -> (Visits, Shares, usize) {
        let mut repeated = 0;
        loop {
            let before = self.log.own.now();
            let visits = self.there_and_back(child, group, round);
            let shares =
                before.zip(self.log.own.now()).map(|(b, a)| a.since(&b));
            let shares = shares.unwrap_or_default();
            let again = is_disturbed(shares.foreign, shares.steal)
                && !visits.is_empty()
                && repeated < REPEATS_IN_A_ROW;
            if !again || self.repeats_left == 0 {
                return (visits, shares, repeated);
            }
            self.repeats_left -= 1;
            repeated += 1;
            self.progress.expect_more(visits.len());
        }
    }

    /// Measures all benchmarks of a group that are due, in shuffled order and
    /// then in reverse. Windows are measured only in the first round of a
    /// process. Readings are measured only in the first half of that round.
    fn there_and_back(
        &mut self,
        child: &mut ChildHandle,
        group: usize,
        round: usize,
    ) -> Visits {
        let group = self.groups[group].iter();
        let due = group.filter(|(_, rounds)| rounds.contains(&round));
        let mut order: Vec<usize> = due.map(|(place, _)| *place).collect();
        self.rng.shuffle(&mut order);
        let is_first_round = round.is_multiple_of(self.plan.rounds);
        let (build, program) = self.builds.of_process(round / self.plan.rounds);
        let (build, program) = (build as u32, program.to_owned());
        let mut visits = Vec::new();
        for back in [false, true] {
            if back {
                order.reverse();
            }
            for &place in &order {
                let Candidate { cell, failed, operations, .. } =
                    &self.candidates[place];
                if failed.is_some()
                    || !cell.is_visited(self.plan, is_first_round, back)
                {
                    continue;
                }
                let warm_up = self.plan.warm_up;
                let ask = Ask::Visit { operations: *operations, warm_up };
                let at = self.log.began.elapsed().as_millis() as u32;
                let answer = if cell.has_own_process() {
                    self.ask(&mut ChildHandle::of(&program), place, ask)
                } else {
                    self.ask(child, place, ask)
                };
                match answer {
                    Ok(found) => {
                        let turn = 2 * round as u32 + u32::from(back);
                        visits.push((place, Visit { at, turn, build, found }));
                    }
                    Err(reason) => self.fail(place, reason),
                }
                self.progress.advance();
            }
        }
        visits
    }
}

fn share(part: f64, whole: usize) -> f64 {
    (part / whole as f64 * 1e4).round() / 1e4
}
