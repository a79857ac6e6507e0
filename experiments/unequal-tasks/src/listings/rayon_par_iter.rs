//! A batch as a parallel iterator of Rayon's, which decides itself how finely it splits.

use rayon::iter::{IntoParallelIterator, ParallelIterator};

/// Runs `tasks` tasks, and adds up what they return.
pub fn rayon_par_iter(
    tasks: usize,
    task: impl Fn(usize) -> u64 + Send + Sync,
) -> u64 {
    (0..tasks).into_par_iter().map(task).sum()
}
