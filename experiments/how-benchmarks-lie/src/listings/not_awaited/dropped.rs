//! The wrong arm: the tasks' handles are dropped.

use std::future::Future;

/// Spawns a task for each unit's `work` and returns how many that were. It
/// cannot return their sum, and that should make one wonder.
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
