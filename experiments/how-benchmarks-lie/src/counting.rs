//! Experiment `counting`: a program that allocates, with and without an
//! allocator that counts.

use harness::{allocations, Body, Cell, Counter, Experiment};

use crate::listings::counting::records;

/// Records in one operation: so many that starting a thread is no matter.
const RECORDS: u64 = 100_000;

pub(crate) fn experiment() -> Experiment {
    Experiment::new("counting", "time per operation", "records")
        .counting(&[Counter::Allocations, Counter::Bytes])
        .cells(cells(1, records::build))
        .cells(cells(2, records::build_on_two_threads))
}

fn cells(threads: i64, build: fn(u64) -> u64) -> [Cell; 2] {
    let cell = |arm, body| {
        // Each record has three orders.
        Cell::new("records", 3 * RECORDS, body)
            .per(RECORDS)
            .parameter("threads", threads)
            .parameter("arm", arm)
    };
    let counting = Body::here(move || {
        move || {
            let _counting = Counting::start();
            build(RECORDS)
        }
    });
    let not_counting = Body::here(move || move || build(RECORDS));
    [cell("counting", counting), cell("not counting", not_counting)]
}

/// The allocator counts while this lives, and no longer, also if a panic ends
/// it: the next visit is another cell's.
struct Counting;

impl Counting {
    fn start() -> Counting {
        allocations::count(true);
        Counting
    }
}

impl Drop for Counting {
    fn drop(&mut self) {
        allocations::count(false);
    }
}
