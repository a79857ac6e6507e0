//! Experiment `idle`: how the cost of a thread or task depends on whether
//! idle cores halt (the default on our machines) or poll. Threads and tasks
//! are created all at once, as in `units`. Tasks are also created one by one,
//! each awaited before the next: on a worker, and on the thread that calls
//! `block_on`, which sleeps until a worker on another core has run the task.

use harness::{Body, Cell, Counter, Experiment, Idle, Placement};
use runtimes::std_thread;
use runtimes::tokio::MULTI_THREAD;
use tokio::runtime::Builder;

use crate::listings;

/// The number of threads or tasks that are created at once, as in most
/// benchmarks of the experiment `units`.
const UNITS: u64 = 1_000;

/// The number of tasks that an operation creates one by one.
const TASKS: u64 = 100;

pub(crate) fn experiment() -> Experiment {
    let cells = [Idle::Default, Idle::Polls].into_iter().flat_map(cells);
    Experiment::new("idle", "time per unit", std_thread::NAME)
        .counting(&[
            Counter::ContextSwitches,
            Counter::CpuTime,
            Counter::Halts,
            Counter::InterruptsBetweenCores,
        ])
        .cells(cells)
}

fn cells(idle: Idle) -> [Cell; 4] {
    let cell = |contender, units: u64, join, arm, body| {
        Cell::new(contender, units * (units - 1) / 2, body)
            .per(units)
            .parameter("units", units as i64)
            .parameter("join", join)
            .parameter("arm", arm)
            .placement(Placement::AllCores)
            .idle(idle)
            .group(join)
    };
    let tokio = MULTI_THREAD.name();
    let threads =
        Body::here(|| || listings::std_thread::create_and_collect(UNITS));
    let tasks = Body::task(MULTI_THREAD, || {
        listings::tokio_multi_thread::create_and_collect(UNITS)
    });
    let on_a_worker = Body::task(MULTI_THREAD, one_by_one);
    let in_block_on = Body::here(|| {
        let runtime = Builder::new_multi_thread().enable_all().build();
        let runtime = runtime.expect("a Tokio runtime can be built");
        move || runtime.block_on(one_by_one())
    });
    [
        cell(std_thread::NAME, UNITS, "all", "ours", threads),
        cell(tokio, UNITS, "all", "ours", tasks),
        cell(tokio, TASKS, "one by one", "ours", on_a_worker),
        cell(tokio, TASKS, "one by one", "block_on", in_block_on),
    ]
}

/// Spawns tasks that return their id, each awaited before the next is spawned.
async fn one_by_one() -> u64 {
    let mut sum = 0;
    for id in 0..TASKS {
        let task = tokio::spawn(async move { id });
        sum += task.await.expect("the task returns its id");
    }
    sum
}
