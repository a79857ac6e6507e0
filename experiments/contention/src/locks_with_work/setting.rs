//! The settings of `locks-with-work`, and the work between two increments.

use std::time::Duration;

use fastrand::Rng;
use harness::work::work;
use harness::{Cell, Placement};

use crate::threads::Threads;

/// The number of threads that compete for the lock, and how long each thread
/// works between two increments.
#[derive(Clone, Copy)]
pub(super) struct Setting {
    pub(super) threads: usize,
    pub(super) work: Duration,
}

/// The default setting. Every other setting differs from it in one value.
pub(super) const CENTRE: Setting =
    Setting { threads: 2, work: Duration::from_micros(1) };

pub(super) const NOTHING: Duration = Duration::ZERO;
pub(super) const LITTLE: Duration = Duration::from_nanos(100);
pub(super) const MUCH: Duration = Duration::from_micros(10);

impl Setting {
    pub(super) fn work(work: Duration) -> Setting {
        Setting { work, ..CENTRE }
    }

    pub(super) fn threads(threads: usize) -> Setting {
        Setting { threads, ..CENTRE }
    }

    /// Gives each thread its own core if there are two threads. With more
    /// threads, leaves placement to the kernel.
    pub(super) fn placed(self) -> Threads {
        let placement = match self.threads {
            2 => Placement::Neighbours,
            _ => Placement::AllCores,
        };
        Threads { count: self.threads, placement }
    }

    /// Returns the number of increments per thread in one operation of the
    /// benchmark. With more than two threads, it is large enough for the
    /// kernel to preempt threads.
    pub(super) fn times(self) -> u64 {
        match self.work {
            _ if self.threads > 2 => 4_000,
            NOTHING => 20_000,
            LITTLE => 10_000,
            MUCH => 300,
            _ => 2_000,
        }
    }

    pub(super) fn stated(self, cell: Cell, kernel: &str) -> Cell {
        let is_centre = self.threads == 2 && self.work == CENTRE.work;
        let cell = cell
            .parameter("kernel", kernel)
            .parameter("threads", self.threads as i64)
            .parameter("work_ns", self.work.as_nanos() as i64)
            .placement(self.placed().placement);
        if is_centre {
            cell.group(&format!("centre, {kernel}"))
        } else {
            cell.in_sweep().full_only()
        }
    }
}

/// The work of a thread between two increments. Its length is random.
pub(super) struct Work {
    drawn: Rng,
    mean: u64,
}

impl Work {
    /// Creates the work of thread `place`, with `mean` rounds on average.
    pub(super) fn of(place: usize, mean: u64) -> Work {
        Work { drawn: Rng::with_seed(place as u64), mean }
    }

    #[inline]
    pub(super) fn once(&mut self) {
        work(self.drawn.u64(0..=2 * self.mean));
    }
}
