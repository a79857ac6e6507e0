//! The wrong way: dropping the handles of all tasks.

use std::future::Future;

/// Spawns one task per unit, which does `work` for its unit, and returns the
/// number of tasks. It can't return the sum of their results, which should
/// make you suspicious.
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
