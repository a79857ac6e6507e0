//! Counts events in separate child processes, because counting disturbs what
//! is timed.

use std::collections::BTreeMap;

use super::Running;
use crate::child_handle::ChildHandle;
use crate::counter::Pass;
use crate::counting::calls_are_traced;
use crate::protocol::Ask;

/// The number of samples that are counted together. They take long enough for
/// the kernel's coarse clock of CPU time.
const SAMPLES_COUNTED: u32 = 10;

/// The number of samples in which system calls are counted. These counts are
/// exact, so few samples are enough.
const SAMPLES_OF_CALLS: u32 = 2;

impl Running<'_> {
    pub(super) fn count(&mut self, pass: Pass) {
        if !self.candidates.iter().any(|c| c.is_counted(pass)) {
            return;
        }
        let (stage, samples) = match pass {
            Pass::Meters => {
                ("counting, in processes of their own", SAMPLES_COUNTED)
            }
            Pass::Calls => ("counting system calls", SAMPLES_OF_CALLS),
            Pass::Machine => ("counting how cores idle", SAMPLES_COUNTED),
        };
        self.progress.stage(stage);
        let is_traced = pass == Pass::Calls && calls_are_traced();
        for process in 0..self.plan.processes {
            let (_, program) = self.builds.of_process(process);
            let mut child = if is_traced {
                ChildHandle::traced(program)
            } else {
                ChildHandle::of(program)
            };
            let mut order: Vec<usize> = (0..self.candidates.len()).collect();
            self.rng.shuffle(&mut order);
            for place in order {
                let candidate = &self.candidates[place];
                if !candidate.is_counted(pass) {
                    continue;
                }
                let counters = candidate.experiment.counters.iter();
                let counted = if is_traced {
                    let operations = part_traced(candidate.operations);
                    let ask = Ask::Trace { operations };
                    let calls = self.ask(&mut child, place, ask);
                    calls.map(|calls: BTreeMap<u64, u64>| {
                        let counts = counters.filter_map(|c| c.among(&calls));
                        let operations = operations as f64;
                        counts.map(|n| Ok(n as f64 / operations)).collect()
                    })
                } else {
                    let operations = candidate.fill(samples, self.plan.sample);
                    self.ask(&mut child, place, Ask::Count { pass, operations })
                };
                let name = &candidate.name;
                let counts: Vec<_> = counted.unwrap_or_else(|reason| {
                    self.progress
                        .note(&format!("not counted: {name}: {reason}"));
                    vec![Err(reason); candidate.experiment.counters.len()]
                });
                self.candidates[place].counted(pass, counts);
            }
        }
    }
}

/// Returns how many operations to trace, which is a part of a sample. If a
/// sample has several operations, at least two are traced, because an untimed
/// operation comes first only if there are several.
fn part_traced(sample: u64) -> u64 {
    match sample {
        1 => 1,
        _ => (sample / 4).max(2),
    }
}
