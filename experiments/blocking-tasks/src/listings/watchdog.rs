//! A watchdog that reports a Tokio worker stuck in a poll. Works with stable
//! Tokio.

use std::io;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tokio::runtime::RuntimeMetrics;

/// Watches the workers of a runtime that is never dropped. If a worker's
/// metrics haven't changed for `limit`, calls `stuck` with the worker's
/// index, once per stall.
pub fn watch(
    metrics: RuntimeMetrics,
    limit: Duration,
    stuck: impl Fn(usize) + Send + 'static,
) -> io::Result<JoinHandle<()>> {
    let mut workers: Vec<Worker> =
        (0..metrics.num_workers()).map(|_| Worker::new()).collect();
    thread::Builder::new().name("watchdog".to_owned()).spawn(move || loop {
        thread::sleep(limit / 4);
        for (index, worker) in workers.iter_mut().enumerate() {
            let parks = metrics.worker_park_unpark_count(index);
            let busy = metrics.worker_total_busy_duration(index);
            if worker.is_stuck(parks, busy, limit) {
                stuck(index);
            }
        }
    })
}

/// A worker's most recent metrics, and when they last changed.
struct Worker {
    /// How often the worker has gone to sleep or woken up, and how long it
    /// has been busy. The runtime updates both when the worker goes to sleep,
    /// and in every 61st round of its loop.
    seen: (u64, Duration),
    since: Instant,
    told: bool,
}

impl Worker {
    fn new() -> Worker {
        let seen = (0, Duration::ZERO);
        Worker { seen, since: Instant::now(), told: false }
    }

    fn is_stuck(
        &mut self,
        parks: u64,
        busy: Duration,
        limit: Duration,
    ) -> bool {
        // If the number of parks is odd, the worker is asleep.
        if parks % 2 == 1 || self.seen != (parks, busy) {
            let seen = (parks, busy);
            *self = Worker { seen, since: Instant::now(), told: false };
        }
        let is_new = !self.told && self.since.elapsed() >= limit;
        self.told |= is_new;
        is_new
    }
}
