//! Experiment `unequal-work`: the cost of a lock. It is measured with two
//! request counters, one with a lock and one without. Each has two kinds of
//! lookup. The wrong comparison changes both the lock and the lookup.

use harness::{Body, Cell, Experiment};

use crate::listings::unequal_work::{
    mutex_borrowed, mutex_owned, refcell_borrowed,
};

/// The routes that are requested in turn, each equally often. One operation
/// of the benchmark is one request.
const ROUTES: [&str; 8] = [
    "/",
    "/books",
    "/books/threads-tasks-and-cores",
    "/books/threads-tasks-and-cores/spawn-cost",
    "/chapters",
    "/chapters/how-benchmarks-lie",
    "/people",
    "/people/ada",
];

/// The number of requests per route after which the counts are reset and
/// checked.
const TIMES: u64 = 100;

pub(crate) fn experiment() -> Experiment {
    use {mutex_borrowed as mb, mutex_owned as mo};
    use {refcell_borrowed as rb, refcell_owned as ro};
    let (owned, borrowed) = ("owned key", "borrowed key");
    Experiment::new("unequal-work", "time per operation", "RefCell")
        .cell(cell("std Mutex", owned, mo::Counts::count, mo::Counts::take))
        .cell(cell("RefCell", owned, ro::Counts::count, ro::Counts::take))
        .cell(cell("std Mutex", borrowed, mb::Counts::count, mb::Counts::take))
        .cell(cell("RefCell", borrowed, rb::Counts::count, rb::Counts::take))
}

/// Measures how long it takes to count requests. The result is a checksum:
/// the sum of all counts, each multiplied by the position of its route,
/// starting at 1.
fn cell<Counts: Default + 'static>(
    contender: &str,
    kernel: &str,
    count: impl Fn(&Counts, &str) + Copy + 'static,
    take: impl Fn(&Counts, &str) -> u64 + Copy + 'static,
) -> Cell {
    let body = Body::here(move || {
        let counts = Counts::default();
        move || {
            for _ in 0..TIMES {
                ROUTES.iter().for_each(|route| count(&counts, route));
            }
            let taken = ROUTES.iter().map(|route| take(&counts, route));
            (1..).zip(taken).map(|(place, count)| place * count).sum::<u64>()
        }
    });
    let places: u64 = (1..=ROUTES.len() as u64).sum();
    Cell::new(contender, TIMES * places, body)
        .per(TIMES * ROUTES.len() as u64)
        .parameter("kernel", kernel)
}

/// Counts requests in a map inside a `RefCell`, and allocates a copy of the
/// route for each lookup.
pub mod refcell_owned {
    use std::cell::RefCell;
    use std::collections::HashMap;

    /// The number of requests per route.
    #[derive(Default)]
    pub struct Counts(RefCell<HashMap<String, u64>>);

    impl Counts {
        /// Adds one to the count of `route`.
        pub fn count(&self, route: &str) {
            let mut counts = self.0.borrow_mut();
            *counts.entry(route.to_owned()).or_default() += 1;
        }

        /// Returns the count of `route` and resets it to 0.
        pub fn take(&self, route: &str) -> u64 {
            self.0.borrow_mut().get_mut(route).map_or(0, std::mem::take)
        }
    }
}
