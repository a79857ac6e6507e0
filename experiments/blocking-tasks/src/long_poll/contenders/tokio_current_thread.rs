//! Tokio's current_thread runtime: its only thread does the jobs itself.

use tokio::runtime::Builder;

use super::tokio::serve;
use crate::long_poll::tasks::Tasks;

/// Each job in one poll.
pub(crate) fn plain(tasks: Tasks) -> Result<(), String> {
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(runtimes::not_built)?;
    serve(&runtime, tasks, |job| async move { job.run() })
}
