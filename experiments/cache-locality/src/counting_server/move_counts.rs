//! Counts how often a server's tasks move to another worker or core.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use nix::sched::sched_getcpu;

/// The report's key for the number of bytes that the server's tasks have
/// read.
pub(crate) const BYTES: &str = "bytes";
/// The report's key for the number of messages whose predecessor on the
/// connection was handled by another worker.
pub(crate) const BETWEEN_WORKERS: &str = "moves between workers";
/// The report's key for the number of messages whose predecessor on the
/// connection was handled on another core.
pub(crate) const BETWEEN_CORES: &str = "moves between cores";

/// The counts of one task. Only this task writes them. They have their own
/// pair of cache lines, so that counting doesn't slow down other workers.
/// (Cores fetch lines in pairs.)
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct MoveCounts {
    bytes: AtomicU64,
    between_workers: AtomicU64,
    between_cores: AtomicU64,
}

#[derive(Debug, Default)]
pub(super) struct AllMoveCounts(Mutex<Vec<Arc<MoveCounts>>>);

impl AllMoveCounts {
    pub(super) fn add(&self) -> Arc<MoveCounts> {
        let counts = Arc::<MoveCounts>::default();
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(Arc::clone(&counts));
        counts
    }

    /// Returns the sums over all tasks, by name.
    pub(super) fn sums(&self) -> BTreeMap<String, u64> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let sum = |of: fn(&MoveCounts) -> &AtomicU64| -> u64 {
            all.iter().map(|counts| of(counts).load(Relaxed)).sum()
        };
        BTreeMap::from([
            (BYTES.to_owned(), sum(|counts| &counts.bytes)),
            (BETWEEN_WORKERS.to_owned(), sum(|it| &it.between_workers)),
            (BETWEEN_CORES.to_owned(), sum(|counts| &counts.between_cores)),
        ])
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PollPlace {
    worker: usize,
    core: usize,
}

impl PollPlace {
    /// Returns the calling thread, and the core that it is running on.
    pub(super) fn here() -> PollPlace {
        static WORKERS: AtomicUsize = AtomicUsize::new(0);
        thread_local! {
            static WORKER: usize = WORKERS.fetch_add(1, Relaxed);
        }
        let core = sched_getcpu().expect("Linux says it");
        PollPlace { worker: WORKER.with(|worker| *worker), core }
    }
}

impl MoveCounts {
    /// Counts a message of `bytes` bytes that the task handled at `to`, after
    /// handling the previous one at `from`.
    pub(super) fn count(&self, bytes: usize, from: PollPlace, to: PollPlace) {
        // Only this task writes the counts, so a load and a store are enough.
        let add =
            |to: &AtomicU64, more| to.store(to.load(Relaxed) + more, Relaxed);
        add(&self.bytes, bytes as u64);
        if to.worker != from.worker {
            add(&self.between_workers, 1);
        }
        if to.core != from.core {
            add(&self.between_cores, 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_is_a_message_at_another_place_than_the_last() {
        let at = |worker, core| PollPlace { worker, core };
        let all = AllMoveCounts::default();
        let (one, other) = (all.add(), all.add());
        one.count(64, at(0, 0), at(0, 0));
        one.count(64, at(0, 0), at(1, 1));
        // The kernel has moved the worker, and thus the task, to another
        // core.
        other.count(64, at(1, 0), at(1, 1));
        let sums = all.sums();
        assert_eq!(
            [BYTES, BETWEEN_WORKERS, BETWEEN_CORES].map(|name| sums[name]),
            [192, 1, 2]
        );
    }

    #[test]
    fn threads_are_different_places() {
        let here = PollPlace::here();
        let there = std::thread::spawn(PollPlace::here).join().unwrap();
        assert_ne!(here.worker, there.worker);
        assert_eq!(here.worker, PollPlace::here().worker);
    }
}
