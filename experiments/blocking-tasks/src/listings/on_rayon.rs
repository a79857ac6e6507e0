//! Hands a job from an async task to Rayon, and awaits the result.

use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};

use rayon::ThreadPool;
use tokio::sync::oneshot;

/// Runs the job on a thread of the pool. While the task awaits the result,
/// its worker runs other tasks. A panic of the job is passed on to the task,
/// because in the pool it would abort the process.
pub async fn on_rayon<T: Send + 'static>(
    pool: &ThreadPool,
    job: impl FnOnce() -> T + Send + 'static,
) -> T {
    let (sender, result) = oneshot::channel();
    pool.spawn(move || {
        let result = catch_unwind(AssertUnwindSafe(job));
        // Sending fails if the task has been dropped. In that case, nobody
        // needs the result.
        drop(sender.send(result));
    });
    let result = result.await.expect("the job sends one");
    result.unwrap_or_else(|panic| resume_unwind(panic))
}
