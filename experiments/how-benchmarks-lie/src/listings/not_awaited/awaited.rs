//! The right way: awaiting the handles of all tasks.

use std::future::Future;

/// Spawns one task per unit. The task does `work` for its unit. Returns the
/// sum of the results.
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
