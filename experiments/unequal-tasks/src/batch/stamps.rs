//! Runs batches whose tasks record when they begin and end.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use harness::Measurement;
use hdrhistogram::Histogram;
use measurement::Source;

use super::run::{Run, Task};
use crate::orders::{SUM, TASKS};

/// The results reported in addition to throughput and latency. The latency of
/// a task is the time from the start of its batch until it has finished.
pub(super) const ALSO: [(&str, Source); 3] = [
    // The makespan is the time that a whole batch takes.
    ("makespan", Source::Harness),
    // The time per task lasts from when the task begins until it has
    // finished.
    ("time per task p50", Source::Harness),
    ("time per task p99", Source::Harness),
];

/// Runs one batch after another for the duration `window`, and at least one
/// batch.
///
/// # Errors
///
/// If an answer is wrong.
pub(super) fn take(
    run: Run,
    task: Task,
    window: Duration,
) -> Result<Measurement, String> {
    let stamps = Arc::new(Stamps::new());
    let task = stamped(task, Arc::clone(&stamps));
    // The first batch isn't measured, since it includes the start of the
    // workers.
    run(TASKS, &task);
    let (mut batches, mut makespans) = (0, Duration::ZERO);
    let mut latencies = histogram();
    let mut times = histogram();
    let begin = Instant::now();
    while batches == 0 || begin.elapsed() < window {
        let start = stamps.now();
        let (makespan, sum) = run(TASKS, &task);
        if sum != SUM {
            return Err(format!("the tasks returned {sum}, not {SUM}"));
        }
        for (begun, done) in stamps.taken() {
            latencies += done - start;
            times += done - begun;
        }
        makespans += makespan;
        batches += 1;
    }
    let percentile = |share| times.value_at_quantile(share) as f64;
    Ok(Measurement {
        answered: batches * TASKS as u64,
        elapsed: makespans,
        latencies: Some(latencies),
        also: vec![
            makespans.as_nanos() as f64 / batches as f64,
            percentile(0.5),
            percentile(0.99),
        ],
        ..Measurement::default()
    })
}

/// The times at which each task of the last batch began and ended, in
/// nanoseconds after `since`.
struct Stamps {
    since: Instant,
    tasks: Vec<Stamp>,
}

/// The times at which a task began and ended. Each `Stamp` has its own cache
/// line, because adjacent tasks may run on different workers.
#[derive(Default)]
#[repr(align(64))]
struct Stamp {
    begun: AtomicU64,
    done: AtomicU64,
}

impl Stamps {
    fn new() -> Stamps {
        let tasks = (0..TASKS).map(|_| Stamp::default()).collect();
        Stamps { since: Instant::now(), tasks }
    }

    fn now(&self) -> u64 {
        self.since.elapsed().as_nanos() as u64
    }

    fn taken(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let read = |stamp: &AtomicU64| stamp.load(Ordering::Relaxed);
        self.tasks.iter().map(move |of| (read(&of.begun), read(&of.done)))
    }
}

fn stamped(task: Task, stamps: Arc<Stamps>) -> Task {
    Arc::new(move |index| {
        let Stamp { begun, done } = &stamps.tasks[index];
        begun.store(stamps.now(), Ordering::Relaxed);
        let answer = task(index);
        done.store(stamps.now(), Ordering::Relaxed);
        answer
    })
}

fn histogram() -> Histogram<u64> {
    Histogram::new(3).expect("three digits are allowed")
}
