//! Experiment `not-awaited`: a benchmark that drops the handles of a thousand
//! tasks, compared with one that awaits them.

use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use harness::{Body, Cell, Experiment};
use measurement::statistics::median;
use measurement::Source;
use runtimes::tokio::MULTI_THREAD;
use tokio::runtime::Runtime;

use crate::listings::not_awaited::{awaited, dropped};

const UNITS: u64 = 1_000;

/// The number of steps of work in a task before it returns its id: none, or
/// enough for a few microseconds, which is much longer than spawning takes.
const STEPS: [u64; 2] = [0, 100];

/// How many times the wrong benchmark is run to measure the share of tasks
/// that have run.
const BURSTS: usize = 30;

pub(crate) fn experiment() -> Experiment {
    let cells = STEPS.into_iter().flat_map(|steps| {
        let awaited = cell(steps, "awaited", (0..UNITS).sum(), awaited(steps));
        let awaited = match steps {
            0 => awaited.full_only(),
            _ => awaited,
        };
        let dropped = cell(steps, "dropped", UNITS, dropped(steps));
        [awaited, dropped, share(steps)]
    });
    Experiment::new("not-awaited", "time per unit", MULTI_THREAD.name())
        .cells(cells)
}

fn cell(steps: u64, arm: &str, answer: u64, body: Body) -> Cell {
    let cell = Cell::new(MULTI_THREAD.name(), answer, body).per(UNITS);
    described(cell, steps, arm)
}

fn described(cell: Cell, steps: u64, arm: &str) -> Cell {
    cell.parameter("steps", steps as i64).parameter("arm", arm)
}

fn awaited(steps: u64) -> Body {
    Body::task(MULTI_THREAD, move || async move {
        SPAWNED.fetch_add(UNITS, Ordering::Relaxed);
        awaited::run(UNITS, |id| work(id, steps)).await
    })
}

fn dropped(steps: u64) -> Body {
    Body::task(MULTI_THREAD, move || async move {
        SPAWNED.fetch_add(UNITS, Ordering::Relaxed);
        dropped::run(UNITS, |id| work(id, steps)).await
    })
    // Waits for tasks that are still running. Otherwise, they would run
    // during the next measurement.
    .and_then(wait_for_leftovers)
}

/// The number of tasks that this process has spawned, and the number that
/// have run.
static SPAWNED: AtomicU64 = AtomicU64::new(0);
static DONE: AtomicU64 = AtomicU64::new(0);

async fn work(id: u64, steps: u64) -> u64 {
    let (mut random, mut bytes) = (fastrand::Rng::with_seed(id), [0; 256]);
    for _ in 0..steps {
        random.fill(&mut bytes);
        black_box(&bytes);
    }
    DONE.fetch_add(1, Ordering::Relaxed);
    id
}

fn wait_for_leftovers() {
    while DONE.load(Ordering::Relaxed) < SPAWNED.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_micros(50));
    }
}

/// Measures the share of tasks that have run by the time the wrong benchmark
/// stops its clock.
fn share(steps: u64) -> Cell {
    let take = move || {
        let runtime = Runtime::new().map_err(|error| error.to_string())?;
        let burst = || {
            wait_for_leftovers();
            let before = DONE.load(Ordering::Relaxed);
            SPAWNED.fetch_add(UNITS, Ordering::Relaxed);
            let task = runtime.spawn(async move {
                dropped::run(UNITS, |id| work(id, steps)).await;
                DONE.load(Ordering::Relaxed) - before
            });
            let done = runtime.block_on(task).map_err(|e| e.to_string())?;
            Ok(done as f64 / UNITS as f64)
        };
        let shares: Result<Vec<f64>, String> =
            std::iter::repeat_with(burst).take(BURSTS).collect();
        let shares = shares?;
        wait_for_leftovers();
        Ok(vec![median(&shares)])
    };
    let contender = MULTI_THREAD.name();
    let cell = Cell::readings(contender, Source::Harness, &["share"], take);
    described(cell, steps, "dropped and watched")
}
