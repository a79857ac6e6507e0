//! smol: an executor that several threads run.

use std::future::Future;
use std::net::TcpStream as StdTcpStream;
use std::thread;

use smol::future::yield_now;
use smol::io::{AsyncReadExt, AsyncWriteExt};
use smol::net::TcpStream;
use smol::{channel, Executor, Timer};

use super::WORKERS;
use crate::long_poll::job::Job;
use crate::long_poll::tasks::{Tasks, Ticker, Unit, MESSAGE};

/// Each job in one poll.
pub(crate) fn plain(tasks: Tasks) -> Result<(), String> {
    serve(tasks, |job| async move { job.run() })
}

/// A thread of the `blocking` crate's pool for each job that is asked for.
pub(crate) fn hands_over(tasks: Tasks) -> Result<(), String> {
    serve(tasks, |job| smol::unblock(move || job.run()))
}

fn serve<Done>(tasks: Tasks, done: fn(Job) -> Done) -> Result<(), String>
where
    Done: Future<Output = u64> + Send + 'static,
{
    let Tasks { units, ticker, connection } = tasks;
    let executor = Executor::new();
    let mut tasks =
        vec![executor.spawn(echo(connection)), executor.spawn(tick(ticker))];
    tasks
        .extend(units.into_iter().map(|unit| executor.spawn(work(unit, done))));
    let (stop, stopped) = channel::bounded::<()>(1);
    thread::scope(|scope| {
        for _ in 0..WORKERS {
            // Closing the channel ends it.
            scope.spawn(|| smol::block_on(executor.run(stopped.recv())));
        }
        // Not by `smol::block_on`, with which this thread would ask the reactor, too.
        smol::future::block_on(async {
            for task in tasks {
                task.await;
            }
        });
        drop(stop);
    });
    Ok(())
}

async fn work<Done>(mut unit: Unit, done: fn(Job) -> Done)
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
        Timer::at(due).await;
    }
}

/// If it fails, the load misses an answer, and says so.
async fn echo(connection: StdTcpStream) {
    let connection = TcpStream::try_from(connection);
    let mut connection = connection.expect("it does not block");
    let mut message = [0; MESSAGE];
    while connection.read_exact(&mut message).await.is_ok() {
        if connection.write_all(&message).await.is_err() {
            return;
        }
    }
}
