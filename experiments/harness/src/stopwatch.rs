//! The clock around a batch, with the counters.

use std::time::{Duration, Instant};

use host::probe::probe;

use crate::counter::CounterReading;
use crate::tracer;

/// Runs during a batch. In a counting process, it also reads the counters, and
/// in a traced one it notifies the tracer; in a process that measures times, it
/// is only a clock.
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
        // The probe runs on the timed thread, and off the clock.
        let probe = probe();
        Timed { elapsed, counts, answers, probe }
    }
}

/// The time and the answers of a batch.
#[derive(Debug, Clone, Copy)]
pub struct Timed {
    pub(crate) elapsed: Duration,
    /// Present in a counting process.
    pub(crate) counts: Option<CounterReading>,
    pub(crate) answers: Answers,
    /// The time of the probe right afterwards.
    pub(crate) probe: Duration,
}

impl Timed {
    /// Returns itself if every operation gave the expected answer.
    pub(crate) fn checked(self, expected: u64) -> Result<Timed, String> {
        self.answers.check(expected).map(|()| self)
    }
}

/// The bits set in any answer, and those set in all: both equal the answer if
/// all answers were the same. This costs two instructions on the clock, and no
/// branch.
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
        // If answers differ, the wrong one isn't known.
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
