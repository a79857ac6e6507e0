//! Runs operations in batches, and combines the times and answers of a
//! batch's operations.

use std::time::Duration;

use criterion::Bencher;

use crate::stopwatch::{Answers, Stopwatch, Timed};

/// A workload that is ready to run, or the reason why it can't run here.
pub(crate) type Started = Result<Box<dyn Batch>, String>;

/// A workload that is ready to run, in batches of operations. It exists
/// either until its process ends or during a single criterion run.
pub trait Batch {
    /// Times `operations` operations. If there are several, an untimed one
    /// runs first.
    fn run(&mut self, operations: u64) -> Timed;

    /// Lets criterion time a batch of `operations` operations as one
    /// iteration. After each sample, a probe measures the core's speed. The
    /// time of the probe is added to `probes`.
    fn visit(
        &mut self,
        bencher: &mut Bencher<'_>,
        operations: u64,
        answer: u64,
        probes: &mut Vec<Duration>,
    ) -> Result<(), String> {
        let mut answers = Answers::NONE;
        bencher.iter_custom(|iterations| {
            let timed = self.run(operations * iterations);
            answers = answers.and(timed.answers);
            probes.push(timed.probe);
            timed.elapsed
        });
        answers.check(answer)
    }
}

impl<Run: FnMut(u64) -> Timed> Batch for Run {
    fn run(&mut self, operations: u64) -> Timed {
        self(operations)
    }
}

/// The result of an operation: its answer and, optionally, a time that the
/// operation measured itself, such as the time for creating threads without
/// joining them.
pub trait Returned {
    /// Returns the time that the operation measured itself, if any, and the
    /// answer.
    fn parts(self) -> (Option<Duration>, u64);
}

impl Returned for u64 {
    fn parts(self) -> (Option<Duration>, u64) {
        (None, self)
    }
}

impl Returned for (Duration, u64) {
    fn parts(self) -> (Option<Duration>, u64) {
        (Some(self.0), self.1)
    }
}

/// The time of a batch: measured by the stopwatch around the batch, or added
/// up from the times that its operations measured.
#[derive(Clone, Copy)]
pub(crate) struct Tally {
    answers: Answers,
    own: Option<Duration>,
}

impl Tally {
    pub(crate) const NONE: Tally = Tally { answers: Answers::NONE, own: None };

    pub(crate) fn note(&mut self, reply: impl Returned) {
        let (took, answer) = reply.parts();
        self.answers.note(answer);
        if let Some(took) = took {
            self.own = Some(self.own.unwrap_or_default() + took);
        }
    }

    /// Discards the time of the untimed first operation, but keeps its
    /// answer.
    pub(crate) fn after_lead_in(self) -> Tally {
        Tally { own: None, ..self }
    }

    pub(crate) fn stop(self, stopwatch: Stopwatch) -> Timed {
        let timed = stopwatch.stop(self.answers);
        Timed { elapsed: self.own.unwrap_or(timed.elapsed), ..timed }
    }
}
