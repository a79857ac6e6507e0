//! Times a batch of operations, and reads the counters around it.

use std::time::{Duration, Instant};

use host::probe::probe;

use crate::counter::CounterReading;
use crate::tracer;

/// Times a batch of operations. In a counting process, it also reads the
/// counters. In a traced process, it notifies the tracer. In all other
/// processes, it only reads the clock.
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
        // The speed probe runs on the timed thread, but after the clock has
        // stopped.
        let probe = probe();
        Timed { elapsed, counts, answers, probe }
    }
}

/// How long a batch of operations took, and its answers.
#[derive(Debug, Clone, Copy)]
pub struct Timed {
    pub(crate) elapsed: Duration,
    pub(crate) counts: Option<CounterReading>,
    pub(crate) answers: Answers,
    /// How long the core's speed probe took, right after the batch.
    pub(crate) probe: Duration,
}

impl Timed {
    /// Returns this value if every operation gave the expected answer. The
    /// error describes the wrong answers.
    pub(crate) fn checked(self, expected: u64) -> Result<Timed, String> {
        self.answers.check(expected).map(|()| self)
    }
}

/// All answers of a batch, as the bits set in any answer and the bits set in
/// all answers. If all answers are the same, both are equal to the answer.
/// Noting an answer takes two instructions while the clock runs, and no
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
        // If answers differ, it is unknown which of them is wrong.
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
