//! A Monoio task that sleeps, on either driver.

use std::time::Duration;

/// Creates `units` tasks that sleep and return their id, awaits them, and adds
/// up the ids.
pub async fn sleep_and_collect(units: u64, wait: Duration) -> u64 {
    let sleeper = |id| {
        monoio::spawn(async move {
            monoio::time::sleep(wait).await;
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
