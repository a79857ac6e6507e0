//! A batch on Glommio, with one executor per core. Each executor gets its
//! part of the batch, since a task never leaves the executor on which it was
//! spawned.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use glommio::{GlommioError, LocalExecutorPoolBuilder, PoolPlacement};

/// Runs `tasks` tasks on `workers` executors, one per core, and returns the
/// sum of the results.
pub fn glommio_pool<Task>(
    tasks: usize,
    workers: usize,
    task: Task,
) -> Result<u64, GlommioError<()>>
where
    Task: Fn(usize) -> u64 + Clone + Send + 'static,
{
    let next = Arc::new(AtomicUsize::new(0));
    let placement = PoolPlacement::MaxSpread(workers, None);
    let pool = LocalExecutorPoolBuilder::new(placement);
    let executors = pool.on_all_shards(move || {
        let first = next.fetch_add(1, Ordering::Relaxed);
        glommio_tasks((first..tasks).step_by(workers), task)
    })?;
    executors.join_all().into_iter().sum()
}

/// Spawns the given tasks on the caller's executor, and returns the sum of
/// their results.
pub async fn glommio_tasks<Task>(
    tasks: impl Iterator<Item = usize>,
    task: Task,
) -> u64
where
    Task: Fn(usize) -> u64 + Clone + 'static,
{
    let spawn = |index| {
        let task = task.clone();
        glommio::spawn_local(async move { task(index) })
    };
    let handles: Vec<_> = tasks.map(spawn).collect();
    let mut sum = 0;
    for handle in handles {
        sum += handle.await;
    }
    sum
}
