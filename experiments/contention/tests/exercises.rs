//! The chapter's exercises. Pick one, replace its `todo!()` in the module
//! `yours`, and run it:
//!
//! ```sh
//! cargo test -p contention --test exercises -- --ignored merged_counts
//! ```
//!
//! The tests check the answer, and the visible part of the rule: how often a
//! lock is taken, where a counter is. Measuring how long it takes is up to
//! you. The module `worked` has a solution of each exercise.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard};
use std::thread;

type Counts = HashMap<u64, u64>;

mod yours {
    use super::*;

    // ANCHOR: merged_counts
    /// Four threads share the keys, a quarter each. Add to `shared` how often
    /// each key occurs, taking its lock at most once per thread.
    pub(super) fn merged_counts(keys: &[u64], shared: &Shared) {
        let _ = (keys, shared);
        todo!()
    }
    // ANCHOR_END: merged_counts

    /// *A tally for each core.* A counter that many threads add to, with a
    /// cache line per thread: `add` takes the thread's place, and `total` may
    /// be called while they count. One thread adds at each place, so loads
    /// and stores are enough: check in the assembly that there is no `lock`.
    pub(super) struct Tally;

    impl Count for Tally {
        fn new(places: usize) -> Tally {
            let _ = places;
            todo!()
        }

        fn add(&self, place: usize) {
            let _ = place;
            todo!()
        }

        fn total(&self) -> u64 {
            todo!()
        }

        fn cells(&self) -> Vec<&AtomicU64> {
            todo!()
        }
    }
}

mod worked {
    use super::*;

    // ANCHOR: merged_counts_worked
    pub(super) fn merged_counts(keys: &[u64], shared: &Shared) {
        let quarter = keys.len().div_ceil(4).max(1);
        thread::scope(|scope| {
            for keys in keys.chunks(quarter) {
                scope.spawn(move || {
                    let mut own = Counts::new();
                    for &key in keys {
                        *own.entry(key).or_default() += 1;
                    }
                    let mut counts = shared.lock();
                    for (key, count) in own {
                        *counts.entry(key).or_default() += count;
                    }
                });
            }
        });
    }
    // ANCHOR_END: merged_counts_worked

    #[derive(Default)]
    #[repr(align(128))]
    struct Padded(AtomicU64);

    pub(super) struct Tally(Vec<Padded>);

    impl Count for Tally {
        fn new(places: usize) -> Tally {
            Tally((0..places).map(|_| Padded::default()).collect())
        }

        /// A load and a store suffice, because no other thread writes this
        /// counter.
        fn add(&self, place: usize) {
            let Padded(count) = &self.0[place];
            count.store(count.load(Relaxed) + 1, Relaxed);
        }

        fn total(&self) -> u64 {
            self.0.iter().map(|Padded(count)| count.load(Relaxed)).sum()
        }

        fn cells(&self) -> Vec<&AtomicU64> {
            self.0.iter().map(|Padded(count)| count).collect()
        }
    }
}

/// The shared counts, and the number of times that they have been locked.
#[derive(Default)]
struct Shared {
    counts: Mutex<Counts>,
    locked: AtomicUsize,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.locked.fetch_add(1, Relaxed);
        self.counts.lock().expect("no one panics with it")
    }
}

fn check_merged_counts(solution: fn(&[u64], &Shared)) {
    for length in [10_000, 4, 3, 0] {
        let keys: Vec<u64> = (0..length).map(|key| key * key % 97).collect();
        let mut expected = Counts::new();
        for &key in &keys {
            *expected.entry(key).or_default() += 1;
        }
        let shared = Shared::default();
        solution(&keys, &shared);
        let locked = shared.locked.into_inner();
        assert_eq!(shared.counts.into_inner().unwrap(), expected);
        assert!(locked <= 4, "locked {locked} times by four threads");
    }
}

trait Count: Sync {
    fn new(places: usize) -> Self;
    fn add(&self, place: usize);
    fn total(&self) -> u64;

    /// Returns one counter per thread, in the order of the threads.
    fn cells(&self) -> Vec<&AtomicU64>;
}

fn check_tally<Tally: Count>() {
    const PLACES: usize = 4;
    const TIMES: u64 = 10_000;
    let tally = Tally::new(PLACES);
    thread::scope(|scope| {
        for place in 0..PLACES {
            let tally = &tally;
            scope.spawn(move || (0..TIMES).for_each(|_| tally.add(place)));
        }
        assert!(tally.total() <= PLACES as u64 * TIMES);
    });
    assert_eq!(tally.total(), PLACES as u64 * TIMES);
    let cells = tally.cells();
    assert!(cells.iter().all(|cell| cell.load(Relaxed) == TIMES));
    let mut lines: Vec<_> = cells
        .iter()
        .map(|&cell| std::ptr::from_ref(cell).addr() / 64)
        .collect();
    lines.sort();
    lines.dedup();
    assert_eq!(lines.len(), PLACES, "places share a cache line");
}

#[test]
#[ignore = "an exercise"]
fn merged_counts() {
    check_merged_counts(yours::merged_counts);
}

#[test]
#[ignore = "an exercise"]
fn tally() {
    check_tally::<yours::Tally>();
}

#[test]
fn the_worked_solutions_keep_their_rules() {
    check_merged_counts(worked::merged_counts);
    check_tally::<worked::Tally>();
}
