//! Tokio's multi-thread runtime: its workers do the jobs themselves.

use tokio::task::{consume_budget, yield_now};

use super::tokio::{multi_thread, serve};
use crate::long_poll::tasks::Tasks;

/// Each job in one poll.
pub(crate) fn plain(tasks: Tasks) -> Result<(), String> {
    serve(&multi_thread()?, tasks, |job| async move { job.run() })
}

/// It gives way after each part of a job.
pub(crate) fn yields(tasks: Tasks) -> Result<(), String> {
    serve(&multi_thread()?, tasks, |job| async move {
        let mut done = 0;
        for part in job.parts() {
            done += part.run();
            yield_now().await;
        }
        done
    })
}

/// It tells the runtime of each part, which has it give way when it has told 128.
pub(crate) fn budget(tasks: Tasks) -> Result<(), String> {
    serve(&multi_thread()?, tasks, |job| async move {
        let mut done = 0;
        for part in job.parts() {
            done += part.run();
            consume_budget().await;
        }
        done
    })
}
