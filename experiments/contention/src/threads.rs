//! How many threads want something at the same moment, and where they are.

use harness::{core_count, Body, Placement};

/// How many threads, and whether each has a core for itself.
#[derive(Clone, Copy)]
pub(crate) struct Threads {
    pub(crate) count: usize,
    pub(crate) placement: Placement,
}

impl Threads {
    /// A thread on each core.
    pub(crate) fn on_all_cores() -> Threads {
        Threads { count: cores(), placement: Placement::Neighbours }
    }

    /// One, on one of the cores.
    pub(crate) fn alone() -> Threads {
        Threads { count: 1, placement: Placement::Neighbours }
    }

    /// As the parameter `cores`.
    pub(crate) fn cores(self) -> &'static str {
        if self.count == 1 {
            "one"
        } else {
            "all"
        }
    }

    /// What they do at the same moment: see [`Body::together`].
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

/// How many cores all are: two at least, so that where there is one only, the rows say that it takes two.
pub(crate) fn cores() -> usize {
    core_count().max(2)
}
