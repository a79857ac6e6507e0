//! How late a sleeper wakes up.

use std::thread;
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;

/// How long after its time a sleeper went on, in nanoseconds.
pub fn of_threads(sleep: Duration, times: u32) -> Histogram<u64> {
    let mut lateness = Histogram::new(3).expect("three digits are allowed");
    for _ in 0..times {
        let due = Instant::now() + sleep;
        thread::sleep(sleep);
        lateness += due.elapsed().as_nanos() as u64;
    }
    lateness
}

/// The same for a task.
pub async fn of_tasks(sleep: Duration, times: u32) -> Histogram<u64> {
    let mut lateness = Histogram::new(3).expect("three digits are allowed");
    for _ in 0..times {
        let due = Instant::now() + sleep;
        tokio::time::sleep(sleep).await;
        lateness += due.elapsed().as_nanos() as u64;
    }
    lateness
}
