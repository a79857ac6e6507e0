//! Experiment `cpu-bound`: threads, jobs and tasks that keep a core busy and
//! never wait.

use std::time::{Duration, Instant};

use harness::work::rounds_in;
use harness::{Body, Cell, Experiment, FreshTokio};
use measurement::Source;
use runtimes::rayon::on_a_worker;
use runtimes::tokio::MULTI_THREAD;
use tokio::runtime::Runtime;

use crate::busy::{self, unit};
use crate::listings::tokio_as_published::runtime;
use crate::pools::{cores, new_pool};

pub mod as_published;

/// Our version of the measurement: two units (threads, jobs or tasks) per
/// core on any machine, and the work per unit.
const UNITS_PER_CORE: u64 = 2;
const WORK: Duration = Duration::from_millis(5);

/// The published version of the measurement: two units per core of the
/// author's machine, and the rounds of arithmetic per unit.
const PUBLISHED_UNITS: u64 = 24;
const PUBLISHED_ROUNDS: u64 = 20_000_000;

/// The sum of all results of the published program.
const PUBLISHED_SUM: u64 = 9_473_004_585_848_122_606;

pub(crate) fn experiment() -> Experiment {
    Experiment::new("cpu-bound", "total time", "std::thread")
        .cells(ours())
        .cells(published())
}

fn ours() -> [Cell; 5] {
    let units = UNITS_PER_CORE * cores() as u64;
    let cell = |contender: &str, body| {
        Cell::new(contender, (0..units).sum(), body)
            .parameter("units_per_core", UNITS_PER_CORE as i64)
            .parameter("work_ns", WORK.as_nanos() as i64)
            .parameter("arm", "ours")
    };
    let unit = || unit(rounds_in(WORK));
    let threads = Body::here(move || move || busy::threads(units, unit()));
    let pool = Body::here(move || {
        let pool = new_pool();
        move || busy::pool(&pool, units, unit())
    });
    let jobs = move || busy::jobs(units, unit());
    let jobs = Body::inside(on_a_worker, jobs);
    let tasks = Body::task(MULTI_THREAD, move || busy::tasks(units, unit()));
    let blocking =
        Body::task(FreshTokio, move || busy::blocking(units, unit()));
    [
        cell("std::thread", threads),
        cell("thread pool", pool).in_sweep().full_only(),
        cell("rayon", jobs),
        cell("tokio multi-thread", tasks),
        cell("tokio spawn_blocking", blocking).in_sweep(),
    ]
}

/// A function that takes the runtime, the number of tasks or threads, and the
/// rounds of arithmetic in each. It returns the sum of the results.
type Run = fn(&Runtime, u64, u64) -> u64;

/// The published measurement `spawning.cpu-bound`, except that the median is
/// over one run per process instead of five runs in one process. A run is too
/// long for criterion's sampling.
fn published() -> [Cell; 3] {
    let threads: Run = |_, units, rounds| {
        busy::threads(units, move |id| as_published::burn(rounds, id))
    };
    let spawn: Run = |runtime, units, rounds| {
        as_published::spawn(runtime, units, move |id| {
            as_published::burn(rounds, id)
        })
    };
    let spawn_blocking: Run = |runtime, units, rounds| {
        as_published::spawn_blocking(runtime, units, move |id| {
            as_published::burn(rounds, id)
        })
    };
    let cell = |contender, run: Run| {
        let take = move || {
            let runtime = runtime();
            let start = Instant::now();
            let sum = run(&runtime, PUBLISHED_UNITS, PUBLISHED_ROUNDS);
            let elapsed = start.elapsed();
            if sum == PUBLISHED_SUM {
                Ok(vec![elapsed.as_secs_f64() * 1e9])
            } else {
                Err(format!("{sum}, not {PUBLISHED_SUM}"))
            }
        };
        Cell::readings(contender, Source::Harness, &["total time"], take)
            .parameter("units", PUBLISHED_UNITS as i64)
            .parameter("rounds", PUBLISHED_ROUNDS as i64)
            .parameter("arm", "as published")
            .full_only()
    };
    [
        cell("std::thread", threads),
        cell("tokio multi-thread", spawn),
        cell("tokio spawn_blocking", spawn_blocking),
    ]
}
