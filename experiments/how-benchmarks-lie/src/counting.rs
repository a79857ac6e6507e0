//! Experiment `counting`: a program that allocates, with and without a counting
//! allocator.

use harness::{allocations, Body, Cell, Counter, Experiment};

use crate::listings::counting::records;

/// The number of records built per operation of the benchmark. It is large
/// enough to make the start of a thread negligible.
const RECORDS: u64 = 100_000;

pub(crate) fn experiment() -> Experiment {
    Experiment::new("counting", "time per operation", "records")
        .counting(&[Counter::Allocations, Counter::Bytes])
        .cells(cells(1, records::build))
        .cells(cells(2, records::build_on_two_threads))
}

fn cells(threads: i64, build: fn(u64) -> u64) -> [Cell; 2] {
    let cell = |arm, body| {
        // The expected result, because each record has three orders.
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

/// Makes the allocator count while this value lives. Dropping the value, even
/// in a panic, restores the previous setting, since later measurements in
/// this process may need counting on or off.
struct Counting {
    before: bool,
}

impl Counting {
    fn start() -> Counting {
        Counting { before: allocations::count(true) }
    }
}

impl Drop for Counting {
    fn drop(&mut self) {
        allocations::count(self.before);
    }
}

#[cfg(test)]
mod tests {
    use harness::allocations;

    use super::Counting;

    /// If counting stayed switched off, all later measurements in the same
    /// process would count no allocations.
    #[test]
    fn counting_leaves_the_allocator_as_it_was() {
        for before in [true, false] {
            allocations::count(before);
            drop(Counting::start());
            assert_eq!(allocations::count(false), before);
        }
    }
}
