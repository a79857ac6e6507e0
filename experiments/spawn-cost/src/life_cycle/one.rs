//! A task that is spawned and awaited, and then the next.

/// Spawns `tasks` tasks that return their id, each when the one before it has
/// ended, and adds up the ids.
pub async fn one_by_one(tasks: u64) -> u64 {
    let mut sum = 0;
    for id in 0..tasks {
        let task = tokio::spawn(async move { id });
        sum += task.await.expect("the task returns its id");
    }
    sum
}
