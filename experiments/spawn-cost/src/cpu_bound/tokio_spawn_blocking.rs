//! A call of `spawn_blocking` for each unit of work: Tokio's own pool of
//! threads, which grows to as many as are asked for at once (512 unless told).

use tokio::task;

/// Does `work` for each id below `units`, each in the blocking pool, and adds
/// up what it returns.
pub async fn run(
    units: u64,
    work: impl Fn(u64) -> u64 + Copy + Send + 'static,
) -> u64 {
    let jobs: Vec<_> =
        (0..units).map(|id| task::spawn_blocking(move || work(id))).collect();
    let mut sum = 0u64;
    for job in jobs {
        sum = sum.wrapping_add(job.await.expect("the work does not panic"));
    }
    sum
}
