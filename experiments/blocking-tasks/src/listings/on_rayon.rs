//! A task has Rayon compute, and awaits the result.

use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};

use rayon::ThreadPool;
use tokio::sync::oneshot;

/// Does the job on a thread of the pool. The task that awaits it leaves its worker to
/// others meanwhile. A panic of the job goes on in the task; on the pool it would abort.
pub async fn on_rayon<T: Send + 'static>(
    pool: &ThreadPool,
    job: impl FnOnce() -> T + Send + 'static,
) -> T {
    let (sender, result) = oneshot::channel();
    pool.spawn(move || {
        let result = catch_unwind(AssertUnwindSafe(job));
        // If the task has been dropped, nobody wants the result.
        drop(sender.send(result));
    });
    let result = result.await.expect("the job sends one");
    result.unwrap_or_else(|panic| resume_unwind(panic))
}
