//! Experiment `batching`: small items of work, several per unit (a job or
//! task). The items of a unit share its cost, so the time per item should be
//! the unit's cost divided by its items, plus the item's own work divided by
//! the cores.

use std::time::Duration;

use harness::work::{rounds_in, work};
use harness::{core_count, Body, Cell, Experiment};
use runtimes::rayon::on_a_worker;
use runtimes::tokio::MULTI_THREAD;

use crate::busy;

/// The number of items in total, and the work per item.
const ITEMS: u64 = 10_000;
const WORK: Duration = Duration::from_nanos(100);

/// The numbers of items that one job or task processes.
const BATCHES: [u64; 4] = [1, 10, 100, 1_000];

pub(crate) fn experiment() -> Experiment {
    Experiment::new("batching", "time per operation", "baseline")
        .cells(BATCHES.into_iter().flat_map(cells))
        .cell(divided())
}

/// Returns the function that a unit (a job or task) runs. It does the work of
/// `items` items and returns the unit's id.
fn unit(items: u64) -> impl Fn(u64) -> u64 + Copy + Send + Sync {
    let rounds = rounds_in(WORK);
    move |id| {
        (0..items).for_each(|_| work(rounds));
        id
    }
}

fn cell(contender: &str, batch: u64, units: u64, body: Body) -> Cell {
    Cell::new(contender, (0..units).sum(), body)
        .per(ITEMS)
        .parameter("batch", batch as i64)
        .parameter("work_ns", WORK.as_nanos() as i64)
        .group("all")
        .in_sweep()
}

fn cells(batch: u64) -> [Cell; 2] {
    let units = ITEMS / batch;
    let jobs = move || busy::jobs(units, unit(batch));
    let tasks = move || busy::tasks(units, unit(batch));
    let jobs = Body::inside(on_a_worker, jobs);
    let tasks = Body::task(MULTI_THREAD, tasks);
    [
        cell("rayon", batch, units, jobs),
        cell("tokio multi-thread", batch, units, tasks),
    ]
}

/// Returns the benchmark in which each core does an equal share of the items,
/// without jobs or tasks.
fn divided() -> Cell {
    let cores = core_count() as u64;
    let divided = || busy::divided(ITEMS, unit(1));
    let body = Body::inside(on_a_worker, divided);
    cell("baseline", ITEMS / cores, ITEMS, body)
}
