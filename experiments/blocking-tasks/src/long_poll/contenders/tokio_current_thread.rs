//! Tokio's current_thread runtime: its only thread does the jobs itself.

use super::tokio::serve;
use crate::executors;
use crate::long_poll::tasks::Tasks;

pub(crate) fn plain(tasks: Tasks) -> Result<(), String> {
    let runtime = executors::tokio_current_thread()?;
    serve(&runtime, tasks, |job| async move { job.run() })
}
