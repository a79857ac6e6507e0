//! A task has a thread of Tokio's pool do a job, but only so many at once.

use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// Does the job once there is a permit for it. With a permit per core, no more
/// threads compute than there are cores.
pub async fn behind_a_semaphore<T: Send + 'static>(
    permits: Arc<Semaphore>,
    job: impl FnOnce() -> T + Send + 'static,
) -> T {
    let permit = permits.acquire_owned().await.expect("nobody closes it");
    let done = spawn_blocking(move || {
        let result = job();
        // Here, since the job goes on if the task is dropped.
        drop(permit);
        result
    });
    done.await.expect("the job does not panic")
}
