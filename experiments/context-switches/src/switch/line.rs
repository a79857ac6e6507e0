//! A line of Tokio tasks that are connected by channels: each task receives a
//! number, adds one, and sends it on.

use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use tokio::task;

/// Sends a number through a line of `tasks` tasks, `laps` times, and waits
/// each time until it arrives at the end. Returns how long the laps took, and
/// how many numbers arrived with one added by each task.
pub async fn laps(tasks: u64, laps: u64) -> (Duration, u64) {
    let (first, mut upstream) = mpsc::channel(1);
    for _ in 0..tasks {
        let (downstream, next) = mpsc::channel(1);
        task::spawn(async move {
            while let Some(number) = upstream.recv().await {
                downstream.send(number + 1).await.expect("it is awaited");
            }
        });
        upstream = next;
    }
    let mut last = upstream;
    first.send(0).await.expect("the line is there");
    last.recv().await;
    let (mut right, start) = (0, Instant::now());
    for _ in 0..laps {
        first.send(0).await.expect("the line is there");
        right += u64::from(last.recv().await == Some(tasks));
    }
    let took = start.elapsed();
    // Closing the first channel ends one task after the other.
    drop(first);
    last.recv().await;
    (took, right)
}
