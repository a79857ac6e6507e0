//! What all contenders on Tokio have in common.

use std::future::Future;
use std::net::TcpStream as StdTcpStream;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::task::{spawn, yield_now};
use tokio::time::sleep_until;

use super::WORKERS;
use crate::long_poll::job::Job;
use crate::long_poll::tasks::{Tasks, Ticker, Unit, MESSAGE};

/// A multi-thread runtime.
pub(super) fn multi_thread() -> Result<Runtime, String> {
    let mut builder = Builder::new_multi_thread();
    let builder = builder.worker_threads(WORKERS).enable_all();
    builder.build().map_err(runtimes::not_built)
}

/// Serves all tasks, each job as `done` has it done.
pub(super) fn serve<Done>(
    runtime: &Runtime,
    tasks: Tasks,
    done: impl Fn(Job) -> Done + Clone + Send + 'static,
) -> Result<(), String>
where
    Done: Future<Output = u64> + Send + 'static,
{
    let Tasks { units, ticker, connection } = tasks;
    let all = async move {
        let mut tasks = vec![spawn(echo(connection)), spawn(tick(ticker))];
        let unit = |unit| spawn(work(unit, done.clone()));
        tasks.extend(units.into_iter().map(unit));
        for task in tasks {
            task.await.expect("no task panics");
        }
    };
    // From a worker, and not from the thread that only waits.
    let all = runtime.spawn(all);
    runtime.block_on(all).map_err(|error| error.to_string())
}

async fn work<Done>(mut unit: Unit, done: impl Fn(Job) -> Done)
where
    Done: Future<Output = u64>,
{
    while let Some(job) = unit.next() {
        let parts = done(job).await;
        unit.did(parts);
        // As where the next request is awaited.
        yield_now().await;
    }
}

async fn tick(mut ticker: Ticker) {
    while let Some(due) = ticker.next() {
        sleep_until(due.into()).await;
    }
}

/// If it fails, the load misses an answer, and says so.
async fn echo(connection: StdTcpStream) {
    let connection = TcpStream::from_std(connection);
    let mut connection = connection.expect("it does not block");
    let mut message = [0; MESSAGE];
    while connection.read_exact(&mut message).await.is_ok() {
        if connection.write_all(&message).await.is_err() {
            return;
        }
    }
}
