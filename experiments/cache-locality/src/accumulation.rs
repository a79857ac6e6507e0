//! Experiment `accumulation`: all cores increment a counter. The count is in
//! one shared number, in one slot per core, or in one number per thread.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::Arc;

use harness::{core_count, room_for_cores, Body, Cell, Experiment, Placement};

use crate::listings::accumulation::slots::Slot;
use crate::listings::accumulation::{own, shared, slots};

/// The number of increments per thread in one timed operation.
const TIMES: u64 = 20_000;

/// The number that all threads share. It has its own cache lines.
#[derive(Default)]
#[repr(align(128))]
struct Shared(AtomicU64);

pub(crate) fn experiment() -> Experiment {
    let threads = core_count();
    let cell = |contender: &str, body| {
        Cell::new(contender, threads as u64 * TIMES, body)
            .per(TIMES)
            .parameter("cores", "all")
            .placement(Placement::Neighbours)
            .needs(|| room_for_cores(2))
    };
    let slots = Body::together(threads, true, move || {
        let slots: Vec<_> = (0..threads).map(|_| Slot::default()).collect();
        let slots = Arc::new(slots);
        let own = Arc::clone(&slots);
        let work = move |place: usize| {
            slots::count(&own[place], TIMES);
            0
        };
        (work, move |_| slots::take(&slots))
    });
    Experiment::new("accumulation", "time per operation", "thread-local")
        .cell(cell("one shared number", in_the_end(threads, shared::count)))
        .cell(cell("slot per core", slots))
        .cell(cell(
            "thread-local",
            in_the_end(threads, own::count_in_thread_local),
        ))
        .cell(cell(
            "local variable",
            in_the_end(threads, own::count_in_variable),
        ))
}

/// Creates a benchmark whose threads count separately, and then add their
/// counts to one number.
fn in_the_end(threads: usize, count: fn(&AtomicU64, u64)) -> Body {
    Body::together(threads, true, move || {
        let number = Arc::new(Shared::default());
        let counted = Arc::clone(&number);
        let work = move |_| {
            count(&counted.0, TIMES);
            0
        };
        (work, move |_| number.0.swap(0, Relaxed))
    })
}
