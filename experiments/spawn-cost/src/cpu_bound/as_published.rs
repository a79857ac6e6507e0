//! Tokio in the shape of the published measurement: a `JoinSet`, filled and
//! emptied by the future that `block_on` runs on the calling thread.

use tokio::runtime::Runtime;
use tokio::task::JoinSet;

/// Does `work` for each id below `units`, each in a task.
pub fn spawn(
    runtime: &Runtime,
    units: u64,
    work: impl Fn(u64) -> u64 + Copy + Send + 'static,
) -> u64 {
    runtime.block_on(async {
        let mut tasks = JoinSet::new();
        for id in 0..units {
            tasks.spawn(async move { work(id) });
        }
        sum(tasks).await
    })
}

/// Does `work` for each id below `units`, each in the blocking pool.
pub fn spawn_blocking(
    runtime: &Runtime,
    units: u64,
    work: impl Fn(u64) -> u64 + Copy + Send + 'static,
) -> u64 {
    runtime.block_on(async {
        let mut jobs = JoinSet::new();
        for id in 0..units {
            jobs.spawn_blocking(move || work(id));
        }
        sum(jobs).await
    })
}

async fn sum(units: JoinSet<u64>) -> u64 {
    units.join_all().await.into_iter().fold(0, u64::wrapping_add)
}
