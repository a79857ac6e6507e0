//! A Tokio task for each unit, spawned from a task that itself runs on a
//! worker.

/// Creates `units` tasks that return their id, awaits them, and adds up the ids.
pub async fn create_and_collect(units: u64) -> u64 {
    let tasks: Vec<_> =
        (0..units).map(|id| tokio::spawn(async move { id })).collect();
    let mut sum = 0;
    for task in tasks {
        sum += task.await.expect("the task returns its id");
    }
    sum
}
