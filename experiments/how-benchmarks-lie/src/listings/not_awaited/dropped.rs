//! The wrong arm: the tasks' handles are dropped.

use std::future::Future;

/// Spawns one task per unit, which does the `work` of the unit, and returns
/// the number of tasks. It can't return the sum of their results, which
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
