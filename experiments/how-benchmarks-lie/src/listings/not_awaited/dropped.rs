//! The wrong way: dropping the handles of all tasks.

use std::future::Future;

/// For each of `units` ids, spawns the future `work(id)` as a task. Returns
/// the number of tasks: the sum of their results is not available, which
/// should make you suspicious.
pub async fn run<Work, Unit>(units: u64, work: Work) -> u64
where
    Work: Fn(u64) -> Unit,
    Unit: Future<Output = u64> + Send + 'static,
{
    for id in 0..units {
        tokio::spawn(work(id));
    }
    units
}
