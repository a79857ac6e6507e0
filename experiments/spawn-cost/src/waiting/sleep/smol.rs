//! A task of smol's global executor, and a timer of its reactor.

use std::time::Duration;

/// Creates `units` tasks that sleep and return their id, awaits them, and adds
/// up the ids.
pub async fn sleep_and_collect(units: u64, wait: Duration) -> u64 {
    let sleeper = |id| {
        smol::spawn(async move {
            smol::Timer::after(wait).await;
            id
        })
    };
    let tasks: Vec<_> = (0..units).map(sleeper).collect();
    let mut sum = 0;
    for task in tasks {
        sum += task.await;
    }
    sum
}
