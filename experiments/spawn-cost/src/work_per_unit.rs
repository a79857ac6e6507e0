//! Experiment `work-per-unit`: from how much work a unit on its price ceases to
//! matter.

use std::time::Duration;

use harness::work::rounds_in;
use harness::{Body, Cell, Executor, Experiment};

use crate::cpu_bound::{
    rayon, std_thread, thread_pool, tokio_spawn, tokio_spawn_blocking, unit,
};
use crate::pools::{new_pool, on_a_rayon_worker};

mod crossing;
pub mod divided;
pub mod one_thread;

/// The work of a unit.
const WORK: [Duration; 5] = [
    Duration::ZERO,
    Duration::from_micros(1),
    Duration::from_micros(10),
    Duration::from_micros(100),
    Duration::from_millis(1),
];

/// Few, so that an operation with much work stays short.
const UNITS: u64 = 100;

/// At which work quick looks.
const QUICK: [Duration; 2] =
    [Duration::from_micros(1), Duration::from_micros(100)];

const TOKIO: Executor = Executor::TokioMultiThread;

pub(crate) fn experiment() -> Experiment {
    let settings = WORK.into_iter().flat_map(cells);
    Experiment::new("work-per-unit", "time per unit", "baseline")
        .cells(settings)
        .cells(crossing::cells())
}

fn cells(time: Duration) -> [Cell; 7] {
    let unit = move || unit(rounds_in(time));
    let cell = |contender: &str, arm: &str, in_quick: bool, body| {
        let cell = Cell::new(contender, (0..UNITS).sum(), body)
            .per(UNITS)
            .parameter("units", UNITS as i64)
            .parameter("work_ns", time.as_nanos() as i64)
            .parameter("arm", arm)
            .in_sweep();
        match in_quick && QUICK.contains(&time) {
            true => cell,
            false => cell.full_only(),
        }
    };
    let one_thread = Body::here(move || move || one_thread::run(UNITS, unit()));
    let divided = move || divided::run(UNITS, unit());
    let divided = Body::inside(on_a_rayon_worker, divided);
    let threads = Body::here(move || move || std_thread::run(UNITS, unit()));
    let pool = Body::here(move || {
        let pool = new_pool();
        move || thread_pool::run(&pool, UNITS, unit())
    });
    let jobs = move || rayon::run(UNITS, unit());
    let jobs = Body::inside(on_a_rayon_worker, jobs);
    let tasks = Body::task(TOKIO, move || tokio_spawn::run(UNITS, unit()));
    let blocking = Body::task_for_each_visit(move || {
        tokio_spawn_blocking::run(UNITS, unit())
    });
    [
        cell("baseline", "one thread", false, one_thread),
        cell("baseline", "ours", true, divided),
        cell("std::thread", "ours", true, threads),
        cell("thread pool", "ours", false, pool),
        cell("rayon", "ours", true, jobs),
        cell("tokio multi-thread", "ours", true, tasks),
        cell("tokio spawn_blocking", "ours", false, blocking),
    ]
}
