//! Tokio's multi-thread runtime, with a Rayon pool that does the jobs.

use std::sync::Arc;

use rayon::ThreadPoolBuilder;

use super::tokio::serve;
use crate::executors::{tokio_multi_thread, WORKERS};
use crate::listings::on_rayon::on_rayon;
use crate::long_poll::tasks::Tasks;

/// Hands each job to a Rayon pool that has one thread per worker.
pub(crate) fn hands_over(tasks: Tasks) -> Result<(), String> {
    let pool = ThreadPoolBuilder::new().num_threads(WORKERS).build();
    let pool = Arc::new(pool.map_err(runtimes::not_built)?);
    serve(&tokio_multi_thread()?, tasks, move |job| {
        let pool = Arc::clone(&pool);
        async move { on_rayon(&pool, move || job.run()).await }
    })
}
