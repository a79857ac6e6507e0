//! Experiment `work-per-unit`: how much work a thread, job or task must do
//! before its own cost no longer matters.

use std::time::Duration;

use harness::work::rounds_in;
use harness::{Body, Cell, Experiment, FreshTokio};
use runtimes::rayon::on_a_worker;
use runtimes::tokio::MULTI_THREAD;

use crate::busy::{self, unit};
use crate::pools::new_pool;

mod crossing;

use crossing::UNITS;

/// The amounts of work per thread, job or task.
const WORK: [Duration; 4] = [
    Duration::from_micros(1),
    Duration::from_micros(10),
    Duration::from_micros(100),
    Duration::from_millis(1),
];

/// The amounts of work per thread, job or task in a quick run.
const QUICK: [Duration; 2] =
    [Duration::from_micros(1), Duration::from_micros(100)];

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
        if in_quick && QUICK.contains(&time) {
            cell
        } else {
            cell.full_only()
        }
    };
    let one_thread =
        Body::here(move || move || busy::one_thread(UNITS, unit()));
    let divided = move || busy::divided(UNITS, unit());
    let divided = Body::inside(on_a_worker, divided);
    let threads = Body::here(move || move || busy::threads(UNITS, unit()));
    let pool = Body::here(move || {
        let pool = new_pool();
        move || busy::pool(&pool, UNITS, unit())
    });
    let jobs = move || busy::jobs(UNITS, unit());
    let jobs = Body::inside(on_a_worker, jobs);
    let tasks = Body::task(MULTI_THREAD, move || busy::tasks(UNITS, unit()));
    let blocking =
        Body::task(FreshTokio, move || busy::blocking(UNITS, unit()));
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
