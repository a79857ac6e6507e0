//! Tokio's multi-thread runtime: its workers do the jobs themselves.

use std::io::{self, Write};
use std::time::Instant;

use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio::task::{consume_budget, unconstrained, yield_now};

use super::tokio::serve;
use crate::connection::{connect, MESSAGE};
use crate::executors::tokio_multi_thread;
use crate::long_poll::job::Job;
use crate::long_poll::tasks::Tasks;

pub(crate) fn plain(tasks: Tasks) -> Result<(), String> {
    serve(&tokio_multi_thread()?, tasks, |job| async move { job.run() })
}

pub(crate) fn yields(tasks: Tasks) -> Result<(), String> {
    serve(&tokio_multi_thread()?, tasks, |job| async move {
        let mut done = 0;
        for part in job.parts() {
            done += part.run();
            yield_now().await;
        }
        done
    })
}

/// Reports each part of a job to Tokio's cooperative budget, which makes the
/// task yield after 128 parts.
pub(crate) fn budget(tasks: Tasks) -> Result<(), String> {
    serve(&tokio_multi_thread()?, tasks, |job| async move {
        let mut done = 0;
        for part in job.parts() {
            done += part.run();
            consume_budget().await;
        }
        done
    })
}

/// Receives messages for the length of a job. The socket always holds one, so
/// only Tokio's limit of 128 messages makes the task yield.
pub(crate) fn receives(tasks: Tasks) -> Result<(), String> {
    serve(&tokio_multi_thread()?, tasks, |job| async move {
        receive(job).await.unwrap_or(NOT_WHOLE)
    })
}

/// Receives messages for the length of a job, without Tokio's limit of 128
/// messages per poll. The socket always holds one.
pub(crate) fn receives_unconstrained(tasks: Tasks) -> Result<(), String> {
    serve(&tokio_multi_thread()?, tasks, |job| async move {
        unconstrained(receive(job)).await.unwrap_or(NOT_WHOLE)
    })
}

const NOT_WHOLE: u64 = 0;

async fn receive(job: Job) -> io::Result<u64> {
    let (mut sender, connection) = connect().map_err(io::Error::other)?;
    let mut connection = TcpStream::from_std(connection)?;
    let begun = Instant::now();
    let mut message = [0; MESSAGE];
    while begun.elapsed() < job.time() {
        // When `write_all` returns, the message has arrived, since both ends
        // are on this computer.
        sender.write_all(&message)?;
        connection.read_exact(&mut message).await?;
    }
    Ok(job.len())
}
