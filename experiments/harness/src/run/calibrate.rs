//! Determines how many operations fill a sample. This also determines how
//! long a run will take.

use std::time::Duration;

use humantime::format_duration;

use super::Running;
use crate::child_handle::ChildHandle;
use crate::protocol::Ask;

impl Running<'_> {
    /// Asks a child how many operations of each benchmark fill a sample. The
    /// parent itself never runs a workload, because that could crash it.
    pub(super) fn calibrate(&mut self) {
        let plan = self.plan;
        let twins = self.candidates.iter().filter(|c| c.is_twin).count();
        self.progress.note(&format!(
            "{} cells and {twins} twins, {} processes of {} rounds each",
            self.candidates.len() - twins,
            plan.processes,
            plan.rounds
        ));
        self.progress.stage("finding out how many operations fill a sample");
        let mut child = ChildHandle::of(self.builds.of_process(0).1);
        let ask = Ask::Calibrate { sample: plan.sample };
        for place in 0..self.candidates.len() {
            if !self.candidates[place].is_timed() {
                // Only timed benchmarks are calibrated. For other benchmarks,
                // the kind determines the rounds in which they are measured.
                self.candidates[place].rounds = plan.all_rounds();
                continue;
            }
            match self.ask(&mut child, place, ask) {
                Ok((operations, operation)) => {
                    let candidate = &mut self.candidates[place];
                    candidate.operations = operations;
                    candidate.operation = operation;
                    candidate.rounds =
                        plan.rounds_for(operation, candidate.cell.in_sweep);
                }
                Err(reason) => self.fail(place, reason),
            }
        }
        let visits = self.candidates.iter().map(|c| c.visits_in(plan));
        self.progress.expect(visits.sum());
        let took = self.candidates.iter().map(|candidate| {
            let visit = if candidate.is_timed() {
                plan.visit_of(candidate.operation)
            } else {
                candidate.cell.duration
            };
            visit * candidate.visits_in(plan) as u32
        });
        let seconds = Duration::from_secs(took.sum::<Duration>().as_secs());
        self.progress.note(&format!(
            "the visits take at least {}, then it is counted",
            format_duration(seconds)
        ));
    }
}
