//! Tokio's multi-thread runtime with `block_in_place`: a worker passes its
//! other tasks to a thread of the pool, and does the job itself.

use tokio::task::block_in_place;

use super::tokio::serve;
use crate::executors::tokio_multi_thread;
use crate::long_poll::tasks::Tasks;

pub(crate) fn hands_over(tasks: Tasks) -> Result<(), String> {
    serve(&tokio_multi_thread()?, tasks, |job| async move {
        block_in_place(|| job.run())
    })
}
