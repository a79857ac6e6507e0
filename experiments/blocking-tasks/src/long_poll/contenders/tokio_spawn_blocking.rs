//! Tokio's multi-thread runtime, which hands jobs to threads of its blocking
//! pool.

use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use super::tokio::serve;
use crate::executors::{tokio_multi_thread, WORKERS};
use crate::listings::behind_a_semaphore::behind_a_semaphore;
use crate::long_poll::tasks::Tasks;

/// Starts each job at once, on a separate thread.
pub(crate) fn hands_over(tasks: Tasks) -> Result<(), String> {
    serve(&tokio_multi_thread()?, tasks, |job| async move {
        spawn_blocking(move || job.run()).await.expect("it does not panic")
    })
}

/// Runs no more jobs at once than the runtime has workers.
pub(crate) fn semaphore(tasks: Tasks) -> Result<(), String> {
    let permits = Arc::new(Semaphore::new(WORKERS));
    serve(&tokio_multi_thread()?, tasks, move |job| {
        behind_a_semaphore(Arc::clone(&permits), move || job.run())
    })
}
