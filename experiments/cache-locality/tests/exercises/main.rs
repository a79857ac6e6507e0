//! The chapter's exercises. Pick one, replace its `todo!()` in the module
//! `yours`, and run it:
//!
//! ```sh
//! cargo test -p cache-locality --test exercises -- --ignored apart
//! ```
//!
//! The tests check the answer, and where things are in memory, which is the
//! visible part of the rule. Measuring how long it takes is up to you. The
//! module `worked` has a solution of each exercise.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;

/// Write your solutions here.
mod yours {
    use super::*;

    // ANCHOR: apart
    /// *Apart.* Every request reads the limits, which nobody changes, and is
    /// counted. Arrange the fields so that no count takes the limits, or the
    /// pair of cache lines with them, from another core's cache. You may add
    /// fields, wrap fields, and align anything.
    #[derive(Default)]
    pub(super) struct Service {
        limits: Limits,
        served: AtomicU64,
        refused: AtomicU64,
    }

    impl Serves for Service {
        fn limits(&self) -> &Limits {
            &self.limits
        }

        fn counts(&self) -> [&AtomicU64; 2] {
            [&self.served, &self.refused]
        }
    }
    // ANCHOR_END: apart

    /// *Flattened.* The nodes of a list are in any order. Each has the index
    /// of the next; the first node is at index 0, and the last has `None`. To
    /// add up the values, each load has to wait for the one before. If they
    /// are added up often, it is better to follow the list only once: return
    /// the values in the list's order.
    pub(super) fn flattened(list: &[Node]) -> Vec<u64> {
        let _ = list;
        todo!()
    }
}

/// Our solutions.
mod worked {
    use super::*;

    // ANCHOR: apart_worked
    /// Keeps a value on its own cache lines. The same requests write both
    /// counts, so these two may share a line.
    #[derive(Default)]
    #[repr(align(128))]
    struct Apart<T>(T);

    #[derive(Default)]
    pub(super) struct Service {
        limits: Apart<Limits>,
        counts: Apart<[AtomicU64; 2]>,
    }

    impl Serves for Service {
        fn limits(&self) -> &Limits {
            &self.limits.0
        }

        fn counts(&self) -> [&AtomicU64; 2] {
            self.counts.0.each_ref()
        }
    }
    // ANCHOR_END: apart_worked

    pub(super) fn flattened(list: &[Node]) -> Vec<u64> {
        let next = |node: &&Node| node.next.map(|place| &list[place]);
        let nodes = std::iter::successors(list.first(), next);
        nodes.map(|node| node.value).collect()
    }
}

/// The limits that every request reads and nobody changes.
#[derive(Debug, Default, PartialEq)]
struct Limits {
    most_bytes: u64,
    most_at_once: u64,
}

trait Serves: Default + Sync {
    fn limits(&self) -> &Limits;

    /// Returns the counts of served and of refused requests.
    fn counts(&self) -> [&AtomicU64; 2];
}

struct Node {
    value: u64,
    next: Option<usize>,
}

/// Returns the numbers of the 128-byte pairs of cache lines that contain
/// `value`.
fn pairs<T>(value: &T) -> Range<usize> {
    let begins = std::ptr::from_ref(value).addr();
    begins / 128..(begins + size_of::<T>()).div_ceil(128)
}

fn check_apart<Service: Serves>() {
    const THREADS: u64 = 4;
    const TIMES: u64 = 1_000;
    // Tests several services, because each has a different address in memory.
    let services: Vec<_> = (0..8).map(|_| Service::default()).collect();
    for service in &services {
        thread::scope(|scope| {
            for thread in 0..THREADS {
                scope.spawn(move || {
                    for _ in 0..TIMES {
                        assert_eq!(service.limits(), &Limits::default());
                        service.counts()[thread as usize % 2]
                            .fetch_add(1, Relaxed);
                    }
                });
            }
        });
        let counts = service.counts().map(|count| count.load(Relaxed));
        assert_eq!(counts, [THREADS / 2 * TIMES; 2]);
        let limits = pairs(service.limits());
        for count in service.counts().map(pairs) {
            let is_shared =
                limits.start < count.end && count.start < limits.end;
            assert!(!is_shared, "a count lies beside the limits");
        }
    }
}

fn check_flattened(solution: fn(&[Node]) -> Vec<u64>) {
    for nodes in [1_000, 2, 1, 0] {
        // Successive nodes are seven places apart, so every place is used
        // exactly once.
        let place = |number: usize| number * 7 % nodes.max(1);
        let mut list: Vec<_> =
            (0..nodes).map(|_| Node { value: 0, next: None }).collect();
        for number in 0..nodes {
            let next = number + 1;
            list[place(number)] = Node {
                value: number as u64 * 3,
                next: (next < nodes).then(|| place(next)),
            };
        }
        let expected: Vec<_> = (0..nodes as u64).map(|n| n * 3).collect();
        assert_eq!(solution(&list), expected);
    }
}

#[test]
#[ignore = "an exercise"]
fn apart() {
    check_apart::<yours::Service>();
}

#[test]
#[ignore = "an exercise"]
fn flattened() {
    check_flattened(yours::flattened);
}

#[test]
fn the_worked_solutions_keep_their_rules() {
    check_apart::<worked::Service>();
    check_flattened(worked::flattened);
}
