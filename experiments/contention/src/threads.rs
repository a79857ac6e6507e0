//! Groups of threads that start at the same moment, and their placement on
//! cores.

use harness::{core_count, Body, Placement};

/// The number of threads, and whether each thread has a core to itself.
#[derive(Clone, Copy)]
pub(crate) struct Threads {
    pub(crate) count: usize,
    pub(crate) placement: Placement,
}

impl Threads {
    pub(crate) fn on_all_cores() -> Threads {
        Threads { count: cores(), placement: Placement::Neighbours }
    }

    pub(crate) fn alone() -> Threads {
        Threads { count: 1, placement: Placement::Neighbours }
    }

    pub(crate) fn cores(self) -> &'static str {
        if self.count == 1 {
            "one"
        } else {
            "all"
        }
    }

    pub(crate) fn together<Work, Finish>(
        self,
        start: impl Fn() -> (Work, Finish) + 'static,
    ) -> Body
    where
        Work: Fn(usize) -> u64 + Send + Sync + 'static,
        Finish: Fn(u64) -> u64 + Send + Sync + 'static,
    {
        let pinned = self.placement == Placement::Neighbours;
        Body::together(self.count, pinned, start)
    }
}

/// Returns the number of cores, but at least 2. On a single-core machine,
/// measurements that need two cores then report that as the reason for a
/// missing result.
pub(crate) fn cores() -> usize {
    core_count().max(2)
}
