//! Experiment `cpu-bound`: units that keep a core busy and never wait.

use std::time::{Duration, Instant};

use harness::work::{rounds_in, work};
use harness::{Body, Cell, Executor, Experiment};
use measurement::Source;
use tokio::runtime::Runtime;

use crate::pools::{cores, new_pool, on_a_rayon_worker};
use crate::tokio_as_published::runtime;

pub mod as_published;
pub mod rayon;
pub mod std_thread;
pub mod thread_pool;
pub mod tokio_spawn;
pub mod tokio_spawn_blocking;

/// Ours: two units a core, whatever the machine, of so much work each.
const UNITS_PER_CORE: u64 = 2;
const WORK: Duration = Duration::from_millis(5);

/// As published: two units for each core of the author's machine.
const PUBLISHED_UNITS: u64 = 24;
const PUBLISHED_ROUNDS: u64 = 20_000_000;

/// What the units of the published program return, added up.
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
    let threads = Body::here(move || move || std_thread::run(units, unit()));
    let pool = Body::here(move || {
        let pool = new_pool();
        move || thread_pool::run(&pool, units, unit())
    });
    let jobs = move || rayon::run(units, unit());
    let jobs = Body::inside(on_a_rayon_worker, jobs);
    let tasks = Body::task(Executor::TokioMultiThread, move || {
        tokio_spawn::run(units, unit())
    });
    let blocking = Body::task_for_each_visit(move || {
        tokio_spawn_blocking::run(units, unit())
    });
    [
        cell("std::thread", threads),
        cell("thread pool", pool).in_sweep().full_only(),
        cell("rayon", jobs),
        cell("tokio multi-thread", tasks),
        cell("tokio spawn_blocking", blocking).in_sweep(),
    ]
}

/// What a unit does: so many rounds of work, and it returns its id.
pub(crate) fn unit(rounds: u64) -> impl Fn(u64) -> u64 + Copy + Send + Sync {
    move |id| {
        work(rounds);
        id
    }
}

/// Runs so many units of work, and adds up what they return.
type Run = fn(&Runtime, u64, u64) -> u64;

/// `spawning.cpu-bound` as it was published, but for the median: it is of a run
/// in each process, not of five in one. Too long for visits of criterion's.
fn published() -> [Cell; 3] {
    let threads: Run = |_, units, rounds| {
        std_thread::run(units, move |id| as_published::burn(rounds, id))
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
            match sum == PUBLISHED_SUM {
                true => Ok(vec![elapsed.as_secs_f64() * 1e9]),
                false => Err(format!("{sum}, not {PUBLISHED_SUM}")),
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
