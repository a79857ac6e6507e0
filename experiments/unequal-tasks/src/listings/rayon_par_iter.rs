//! A batch as a Rayon parallel iterator: Rayon decides how finely to split it.

use rayon::iter::{IntoParallelIterator, ParallelIterator};

/// Runs `tasks` tasks, and returns the sum of the results.
pub fn rayon_par_iter(
    tasks: usize,
    task: impl Fn(usize) -> u64 + Send + Sync,
) -> u64 {
    (0..tasks).into_par_iter().map(task).sum()
}
