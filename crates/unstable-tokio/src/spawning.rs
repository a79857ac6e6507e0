//! Tasks that another task spawns and awaits.

use std::time::{Duration, Instant};

const TASKS: u64 = 1_000;

/// Spawns tasks that return their numbers, and awaits them in order. Returns how long that took,
/// and how many returned the right number.
pub(crate) async fn spawn() -> (Duration, u64) {
    let start = Instant::now();
    let tasks: Vec<_> = (0..TASKS).map(|number| tokio::spawn(async move { number })).collect();
    let mut right = 0;
    for (number, task) in (0..).zip(tasks) {
        right += u64::from(task.await.is_ok_and(|returned| returned == number));
    }
    (start.elapsed(), right)
}
