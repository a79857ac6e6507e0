//! The same on smol's global executor.

/// Spawns `tasks` tasks that return their id, each when the one before it has
/// ended, and adds up the ids.
pub async fn one_by_one(tasks: u64) -> u64 {
    let mut sum = 0;
    for id in 0..tasks {
        sum += smol::spawn(async move { id }).await;
    }
    sum
}

/// Spawns `tasks` tasks that return their id, then awaits them in turn, and
/// adds up the ids.
pub async fn batch(tasks: u64) -> u64 {
    let mut spawned = Vec::with_capacity(tasks as usize);
    for id in 0..tasks {
        spawned.push(smol::spawn(async move { id }));
    }
    let mut sum = 0;
    for task in spawned {
        sum += task.await;
    }
    sum
}
