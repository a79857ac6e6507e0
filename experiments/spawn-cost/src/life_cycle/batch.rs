//! A batch of tasks, all spawned before the first is awaited.

/// Spawns `tasks` tasks that return their id, then awaits them in turn, and
/// adds up the ids.
pub async fn batch(tasks: u64) -> u64 {
    let mut spawned = Vec::with_capacity(tasks as usize);
    for id in 0..tasks {
        spawned.push(tokio::spawn(async move { id }));
    }
    let mut sum = 0;
    for task in spawned {
        sum += task.await.expect("the task returns its id");
    }
    sum
}
