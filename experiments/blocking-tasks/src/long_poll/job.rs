//! The job that a task does repeatedly, without yielding before the job is
//! done.

use std::thread;
use std::time::Duration;

use harness::work::{rounds_in, work};

/// The length of one part of a job; a task can yield between two parts.
const PART: Duration = Duration::from_micros(100);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The job computes, so it needs a core.
    Computing,
    /// The job sleeps in the kernel, like a read from a disk, so it needs no
    /// core.
    Sleeping,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Computing => "computing",
            Kind::Sleeping => "sleeping",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Job {
    kind: Kind,
    time: Duration,
}

impl Job {
    pub(super) fn new(kind: Kind, time: Duration) -> Job {
        Job { kind, time }
    }

    pub(super) fn time(self) -> Duration {
        self.time
    }

    pub(super) fn run(self) -> u64 {
        match self.kind {
            Kind::Computing => work(rounds_in(self.time)),
            Kind::Sleeping => thread::sleep(self.time),
        }
        self.len()
    }

    /// Splits the job into parts of 100 us. The caller can yield between two
    /// parts.
    pub(super) fn parts(self) -> impl Iterator<Item = Job> {
        let part = Job { time: self.time / self.len() as u32, ..self };
        (0..self.len()).map(move |_| part)
    }

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
