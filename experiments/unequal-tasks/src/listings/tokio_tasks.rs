//! A batch on Tokio: spawns all tasks, then awaits all of them.

/// Spawns `tasks` tasks, and returns the sum of the results.
pub async fn tokio_tasks<Task>(tasks: usize, task: Task) -> u64
where
    Task: Fn(usize) -> u64 + Clone + Send + 'static,
{
    let spawn = |index| {
        let task = task.clone();
        tokio::spawn(async move { task(index) })
    };
    let handles: Vec<_> = (0..tasks).map(spawn).collect();
    let mut sum = 0;
    for handle in handles {
        sum += handle.await.expect("no task panics");
    }
    sum
}
