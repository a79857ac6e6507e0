//! Counts the requests of one load thread.

use std::io;
use std::ops::Range;

use super::connection::Answer;
use super::distribution::Distribution;

/// Selects the requests to measure: those that are answered, or those that
/// are due, in a range of time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Measured {
    /// Measures the requests that are answered in this range of time. Used
    /// for throughput.
    Answered(Range<u64>),
    /// Measures the requests that are due in this range of time, even if they
    /// are answered later. Used for latencies, because the slowest requests
    /// must not be left out.
    Due(Range<u64>),
}

impl Measured {
    /// Returns the range of time in which requests are measured, in
    /// nanoseconds from the start of the load.
    pub(super) fn window(&mut self) -> &mut Range<u64> {
        match self {
            Measured::Answered(window) | Measured::Due(window) => window,
        }
    }

    /// Returns whether to measure a request that was made, or due, at `made`,
    /// and ended at `ended`.
    pub(super) fn contains(&self, made: u64, ended: u64) -> bool {
        match self {
            Measured::Answered(window) => window.contains(&ended),
            Measured::Due(window) => window.contains(&made),
        }
    }
}

/// The counts of one load thread. Only measured requests are included.
#[derive(Debug)]
pub(super) struct Tally {
    pub(super) measured: Measured,
    pub(super) answered: u64,
    pub(super) wrong: u64,
    pub(super) lost: u64,
    pub(super) unanswered: u64,
    /// The latencies of right answers, in nanoseconds.
    pub(super) latencies: Distribution,
    pub(super) last_answer: u64,
    pub(super) answered_by: Vec<u64>,
    pub(super) broken: u64,
    /// The error of the first connection that broke.
    pub(super) why_broken: Option<io::Error>,
}

impl Tally {
    pub(super) fn new(measured: Measured, connections: usize) -> Tally {
        Tally {
            measured,
            answered: 0,
            wrong: 0,
            lost: 0,
            unanswered: 0,
            latencies: Distribution::default(),
            last_answer: 0,
            answered_by: vec![0; connections],
            broken: 0,
            why_broken: None,
        }
    }

    /// Counts an answer that arrived on the connection with index `place`.
    pub(super) fn answer(
        &mut self,
        place: usize,
        Answer { made, at, is_right }: Answer,
    ) {
        if !self.measured.contains(made, at) {
            return;
        }
        if is_right {
            self.answered += 1;
            self.answered_by[place] += 1;
            self.latencies.record(at - made);
            self.last_answer = at;
        } else {
            self.wrong += 1;
        }
    }

    /// Counts a request that will get no answer because its connection is
    /// broken.
    pub(super) fn lose(&mut self, made: u64, now: u64) {
        self.lost += u64::from(self.measured.contains(made, now));
    }

    /// Counts a request that has no answer when the load stops waiting.
    pub(super) fn give_up(&mut self, made: u64) {
        let is_measured = match &self.measured {
            Measured::Answered(_) => true,
            Measured::Due(window) => window.contains(&made),
        };
        self.unanswered += u64::from(is_measured);
    }
}
