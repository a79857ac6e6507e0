//! The clock around a batch, and what is counted beside it.

use std::time::{Duration, Instant};

use host::probe::probe;

use crate::counters::CounterReading;
use crate::tracer;

/// Runs while a batch does. In a process that counts, it reads the counters too,
/// and in a traced one it tells the tracer; in one that measures times, it is a
/// clock and nothing else.
pub(crate) struct Stopwatch {
    before: Option<CounterReading>,
    start: Instant,
}

impl Stopwatch {
    pub(crate) fn start() -> Stopwatch {
        let before = CounterReading::before();
        tracer::say(tracer::START);
        Stopwatch { before, start: Instant::now() }
    }

    pub(crate) fn stop(self, answers: Answers) -> Timed {
        let elapsed = self.start.elapsed();
        tracer::say(tracer::STOP);
        let counts = self.before.map(CounterReading::since);
        // On the thread that was timed, and off the clock.
        let probe = probe();
        Timed { elapsed, counts, answers, probe }
    }
}

/// What a batch took and answered.
#[derive(Debug, Clone, Copy)]
pub struct Timed {
    pub(crate) elapsed: Duration,
    /// In a process that counts.
    pub(crate) counts: Option<CounterReading>,
    pub(crate) answers: Answers,
    /// How long the core took for the probe right afterwards.
    pub(crate) probe: Duration,
}

impl Timed {
    /// Itself, if every operation gave the expected answer.
    pub(crate) fn checked(self, expected: u64) -> Result<Timed, String> {
        self.answers.check(expected).map(|()| self)
    }
}

/// The bits that any answer had, and those that all had: both are the answer if
/// all were the same. Two instructions on the clock, and no branch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Answers {
    any: u64,
    all: u64,
}

impl Answers {
    pub(crate) const NONE: Answers = Answers { any: 0, all: u64::MAX };

    pub(crate) fn note(&mut self, answer: u64) {
        self.any |= answer;
        self.all &= answer;
    }

    pub(crate) fn and(self, other: Answers) -> Answers {
        Answers { any: self.any | other.any, all: self.all & other.all }
    }

    pub(crate) fn check(self, expected: u64) -> Result<(), String> {
        let Answers { any, all } = self;
        if any == expected && all == expected {
            return Ok(());
        }
        // Where answers differ, no single wrong one is known.
        let found = if any == all {
            any.to_string()
        } else {
            "different answers".to_owned()
        };
        Err(format!(
            "the operations returned {found}, the right answer is {expected}"
        ))
    }
}
