//! A started body, and how the operations of a batch become a time and an answer.

use std::time::Duration;

use criterion::Bencher;

use crate::stopwatch::{Answers, Stopwatch, Timed};

/// A body that was started, or why it cannot be here.
pub(crate) type Started = Result<Box<dyn Batch>, String>;

/// A started body: lives as long as its process, or for one visit.
pub trait Batch {
    /// Runs `operations` on the clock, after the untimed lead-in.
    fn run(&mut self, operations: u64) -> Timed;

    /// Lets criterion time `operations` as its one iteration. Adds to `probes` what
    /// the core took for the probe after each sample; the one before it is that of
    /// the last.
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

/// What an operation returns: its answer, or the time that it took by its own
/// clock, beside the answer. With a clock of its own an operation times a part of
/// what it does, such as creating units without collecting them.
pub trait Returned {
    /// The time by its own clock, if it has one, and the answer.
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

/// The time of a batch: by the stopwatch around it, or by the operations' own
/// clocks.
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

    /// The lead-in is off the clock, its answer counts.
    pub(crate) fn after_lead_in(self) -> Tally {
        Tally { own: None, ..self }
    }

    pub(crate) fn stop(self, stopwatch: Stopwatch) -> Timed {
        let timed = stopwatch.stop(self.answers);
        Timed { elapsed: self.own.unwrap_or(timed.elapsed), ..timed }
    }
}
