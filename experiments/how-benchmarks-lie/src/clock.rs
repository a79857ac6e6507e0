//! Experiment `clock`: what it costs to read the clock, what its resolution
//! is, and how late a sleeping thread or task wakes up.

use std::collections::HashMap;
use std::hint::black_box;
use std::thread;
use std::time::{Duration, Instant};

use harness::{Body, Cell, Experiment};
use hdrhistogram::Histogram;
use measurement::Source;
use tokio::runtime::Runtime;

use crate::listings::clock::{in_a_batch, one_by_one};

/// The number of operations that are timed, either together or one by one.
const OPERATIONS: u32 = 1_000;

const READINGS: u64 = 1_000_000;

const SLEEP: Duration = Duration::from_millis(1);
const SLEEPS: u32 = 150;

/// The result of a lookup. The empty operation returns the same number.
const FOUND: u64 = 1;

pub(crate) fn experiment() -> Experiment {
    let threads = || Ok(lateness_of_threads(SLEEP, SLEEPS));
    let tasks = || {
        let runtime = Runtime::new().map_err(|error| error.to_string())?;
        let task = runtime.spawn(lateness_of_tasks(SLEEP, SLEEPS));
        runtime.block_on(task).map_err(|error| error.to_string())
    };
    Experiment::new("clock", "time per operation", "empty")
        .cells(short("empty", || || FOUND))
        .cells(short("HashMap get", lookup))
        .cell(in_a_batch("Instant::now", || {
            || {
                black_box(Instant::now());
                FOUND
            }
        }))
        .cell(grain())
        .cell(lateness("std::thread::sleep", threads))
        .cell(lateness("tokio::time::sleep", tasks))
}

fn lookup() -> impl FnMut() -> u64 + 'static {
    let map: HashMap<u64, u64> = (0..64).map(|key| (key, FOUND)).collect();
    move || map[&black_box(42)]
}

fn short<Operation>(
    contender: &str,
    start: impl Fn() -> Operation + Clone + 'static,
) -> [Cell; 2]
where
    Operation: FnMut() -> u64 + 'static,
{
    [in_a_batch(contender, start.clone()), one_by_one(contender, start)]
}

fn in_a_batch<Operation>(
    contender: &str,
    start: impl Fn() -> Operation + 'static,
) -> Cell
where
    Operation: FnMut() -> u64 + 'static,
{
    let body = Body::here(move || {
        let mut operation = start();
        move || in_a_batch::run(OPERATIONS, &mut operation)
    });
    Cell::new(contender, FOUND * u64::from(OPERATIONS), body)
        .per(OPERATIONS.into())
        .parameter("arm", "in a batch")
}

/// Reports the time that the wrong benchmark measures, not the time that it
/// takes to run.
fn one_by_one<Operation>(
    contender: &str,
    start: impl Fn() -> Operation + 'static,
) -> Cell
where
    Operation: FnMut() -> u64 + 'static,
{
    let body = Body::here(move || {
        let mut operation = start();
        move || one_by_one::time(OPERATIONS, &mut operation)
    });
    Cell::new(contender, FOUND * u64::from(OPERATIONS), body)
        .per(OPERATIONS.into())
        .parameter("arm", "one by one")
}

fn grain() -> Cell {
    let take = || {
        let (step, equal) = smallest_step(READINGS);
        let share = equal as f64 / READINGS as f64;
        Ok(vec![step.as_nanos() as f64, share])
    };
    let quantities = ["time per step", "share"];
    Cell::readings("Instant::now", Source::Harness, &quantities, take)
        .parameter("arm", "in a row")
}

fn lateness(
    contender: &str,
    take: impl Fn() -> Result<Histogram<u64>, String> + 'static,
) -> Cell {
    let quantities = ["lateness p50", "lateness p99", "lateness max"];
    let take = move || {
        let lateness = take()?;
        let percentiles = [0.5, 0.99, 1.0];
        let of = |quantile| lateness.value_at_quantile(quantile) as f64;
        Ok(percentiles.map(of).to_vec())
    };
    Cell::readings(contender, Source::Histogram, &quantities, take)
        .parameter("arm", "idle")
}

/// Reads the clock `readings` times. Returns the smallest difference between
/// two consecutive readings, and the number of readings that equal the
/// previous one.
fn smallest_step(readings: u64) -> (Duration, u64) {
    let (mut smallest, mut equal) = (Duration::MAX, 0);
    let mut before = Instant::now();
    for _ in 0..readings {
        let now = Instant::now();
        match now - before {
            Duration::ZERO => equal += 1,
            step => smallest = smallest.min(step),
        }
        before = now;
    }
    (smallest, equal)
}

/// Makes a thread sleep for `sleep`, `times` times, and returns how late it
/// wakes up, in nanoseconds.
fn lateness_of_threads(sleep: Duration, times: u32) -> Histogram<u64> {
    let mut lateness = Histogram::new(3).expect("three digits are allowed");
    for _ in 0..times {
        let due = Instant::now() + sleep;
        thread::sleep(sleep);
        lateness += due.elapsed().as_nanos() as u64;
    }
    lateness
}

/// Makes a task sleep for `sleep`, `times` times, and returns how late it
/// wakes up, in nanoseconds.
async fn lateness_of_tasks(sleep: Duration, times: u32) -> Histogram<u64> {
    let mut lateness = Histogram::new(3).expect("three digits are allowed");
    for _ in 0..times {
        let due = Instant::now() + sleep;
        tokio::time::sleep(sleep).await;
        lateness += due.elapsed().as_nanos() as u64;
    }
    lateness
}
