//! A Tokio task for each unit of work. It never awaits, so it keeps its worker
//! to itself until it ends.

/// Does `work` for each id below `units`, each in a task, and adds up what it
/// returns.
pub async fn run(
    units: u64,
    work: impl Fn(u64) -> u64 + Copy + Send + 'static,
) -> u64 {
    let tasks: Vec<_> =
        (0..units).map(|id| tokio::spawn(async move { work(id) })).collect();
    let mut sum = 0u64;
    for task in tasks {
        sum = sum.wrapping_add(task.await.expect("the work does not panic"));
    }
    sum
}
