//! A batch on Rayon, with one job per task.

use std::sync::atomic::{AtomicU64, Ordering};

/// Spawns `tasks` jobs, and returns the sum of the results.
pub fn rayon_jobs(tasks: usize, task: impl Fn(usize) -> u64 + Sync) -> u64 {
    let sum = AtomicU64::new(0);
    let (total, task) = (&sum, &task);
    rayon::scope(|scope| {
        for index in 0..tasks {
            scope.spawn(move |_| {
                total.fetch_add(task(index), Ordering::Relaxed);
            });
        }
    });
    sum.into_inner()
}
