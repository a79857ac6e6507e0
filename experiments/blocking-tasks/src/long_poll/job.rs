//! The job that a unit does repeatedly, without yielding during the job.

use std::thread;
use std::time::Duration;

use harness::work::{rounds_in, work};

/// The length of a part, after which a unit can yield.
const PART: Duration = Duration::from_micros(100);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Computes, which needs a core.
    Computing,
    /// Sleeps in the kernel, like a read from a disk, which needs no core.
    Sleeping,
}

impl Kind {
    /// Returns the value of the parameter `job`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Computing => "computing",
            Kind::Sleeping => "sleeping",
        }
    }
}

/// A job that keeps its thread busy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Job {
    kind: Kind,
    time: Duration,
}

impl Job {
    pub(super) fn new(kind: Kind, time: Duration) -> Job {
        Job { kind, time }
    }

    /// Returns how long the job keeps its thread.
    pub(super) fn time(self) -> Duration {
        self.time
    }

    /// Does the job, and returns the number of its parts.
    pub(super) fn run(self) -> u64 {
        match self.kind {
            Kind::Computing => work(rounds_in(self.time)),
            Kind::Sleeping => thread::sleep(self.time),
        }
        self.len()
    }

    /// Splits the job into parts of 100 us, between which a caller can yield.
    /// Each part returns 1 when it has run.
    pub(super) fn parts(self) -> impl Iterator<Item = Job> {
        let part = Job { time: self.time / self.len() as u32, ..self };
        (0..self.len()).map(move |_| part)
    }

    /// Returns the number of parts, at least one.
    pub(super) fn len(self) -> u64 {
        (self.time.as_nanos() / PART.as_nanos()).max(1) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_the_whole_job() {
        for micros in [10, 100, 150, 10_000] {
            let job = Job::new(Kind::Sleeping, Duration::from_micros(micros));
            let time: Duration = job.parts().map(|part| part.time).sum();
            assert!(time.abs_diff(job.time) < Duration::from_nanos(200));
            assert!(job.parts().all(|part| part.len() == 1));
            assert_eq!(job.parts().count() as u64, job.len());
        }
    }
}
