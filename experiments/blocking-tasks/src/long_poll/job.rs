//! What a unit does again and again, without giving way meanwhile.

use std::thread;
use std::time::Duration;

use harness::work::{rounds_in, work};

/// How long the parts are between which a unit can give way.
const PART: Duration = Duration::from_micros(100);

/// What a thread does for the whole of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// It needs a core.
    Computing,
    /// It sleeps in the kernel, as in a read from a disk, and needs none.
    Sleeping,
}

impl Kind {
    /// The value of the parameter `job`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Computing => "computing",
            Kind::Sleeping => "sleeping",
        }
    }
}

/// Something that keeps whatever thread does it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Job {
    kind: Kind,
    time: Duration,
}

impl Job {
    pub(super) fn new(kind: Kind, time: Duration) -> Job {
        Job { kind, time }
    }

    /// How long it keeps its thread.
    pub(super) fn time(self) -> Duration {
        self.time
    }

    /// Does it, and returns how many parts that was.
    pub(super) fn run(self) -> u64 {
        match self.kind {
            Kind::Computing => work(rounds_in(self.time)),
            Kind::Sleeping => thread::sleep(self.time),
        }
        self.len()
    }

    /// The same job in parts of 100 us: whoever does them one by one can give way in
    /// between. Each returns one when it has run.
    pub(super) fn parts(self) -> impl Iterator<Item = Job> {
        let part = Job { time: self.time / self.len() as u32, ..self };
        (0..self.len()).map(move |_| part)
    }

    /// How many parts it has: one at least.
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
