//! Hands a job to Tokio's blocking pool. A semaphore limits how many jobs run
//! at once.

use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// Runs the job once it has a permit. With one permit per core, at most one
/// thread per core computes.
pub async fn behind_a_semaphore<T: Send + 'static>(
    permits: Arc<Semaphore>,
    job: impl FnOnce() -> T + Send + 'static,
) -> T {
    let permit = permits.acquire_owned().await.expect("nobody closes it");
    let done = spawn_blocking(move || {
        let result = job();
        // The job owns the permit, because it goes on running even if the
        // waiting task is dropped.
        drop(permit);
        result
    });
    done.await.expect("the job does not panic")
}
