//! One Glommio task per unit of work. A task never leaves the thread of its
//! executor.

use glommio::Task;

/// Creates `units` tasks that return their id, awaits them, and adds up the
/// ids.
pub async fn create_and_collect(units: u64) -> u64 {
    collect(create(units)).await
}

/// Creates the tasks.
pub fn create(units: u64) -> Vec<Task<u64>> {
    (0..units).map(|id| glommio::spawn_local(async move { id })).collect()
}

/// Awaits `tasks`, and adds up the ids that they return.
pub async fn collect(tasks: Vec<Task<u64>>) -> u64 {
    let mut sum = 0;
    for task in tasks {
        sum += task.await;
    }
    sum
}
