//! The right way: awaiting the handles of all tasks.

use std::future::Future;

/// For each of `units` ids, spawns the future `work(id)` as a task. Awaits
/// all tasks, and returns the sum of their results.
pub async fn run<Work, Unit>(units: u64, work: Work) -> u64
where
    Work: Fn(u64) -> Unit,
    Unit: Future<Output = u64> + Send + 'static,
{
    let tasks: Vec<_> = (0..units).map(|id| tokio::spawn(work(id))).collect();
    let mut sum = 0_u64;
    for task in tasks {
        sum += task.await.expect("the task returns its answer");
    }
    sum
}
