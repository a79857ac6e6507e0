//! Our executor that notices when a job keeps its thread, and replaces the thread.

use std::net::TcpStream as StdTcpStream;
use std::time::Duration;

use futures_lite::future::yield_now;
use futures_lite::{AsyncReadExt, AsyncWriteExt};
use noticing::{sleep_until, spawn, Executor, Settings, TcpStream};

use super::WORKERS;
use crate::long_poll::tasks::{Tasks, Ticker, Unit, MESSAGE};

/// Each job in one poll. The monitor looks every so many microseconds; with 0 there
/// is none.
pub(crate) fn watched<const MICROS: u64>(tasks: Tasks) -> Result<(), String> {
    let look_every = (MICROS > 0).then_some(Duration::from_micros(MICROS));
    serve(Settings { workers: WORKERS, spares: WORKERS, look_every }, tasks)
}

fn serve(settings: Settings, tasks: Tasks) -> Result<(), String> {
    let executor =
        Executor::new(settings).map_err(|error| error.to_string())?;
    let Tasks { units, ticker, connection } = tasks;
    executor.block_on(async {
        let mut tasks = vec![spawn(echo(connection)), spawn(tick(ticker))];
        tasks.extend(units.into_iter().map(|unit| spawn(work(unit))));
        for task in tasks {
            task.await.expect("no task panics");
        }
    });
    Ok(())
}

async fn work(mut unit: Unit) {
    while let Some(job) = unit.next() {
        unit.did(job.run());
        // As where the next request is awaited.
        yield_now().await;
    }
}

async fn tick(mut ticker: Ticker) {
    while let Some(due) = ticker.next() {
        sleep_until(due).await;
    }
}

/// If it fails, the load misses an answer, and says so.
async fn echo(connection: StdTcpStream) {
    let mut connection = TcpStream::from(connection);
    let mut message = [0; MESSAGE];
    while connection.read_exact(&mut message).await.is_ok() {
        if connection.write_all(&message).await.is_err() {
            return;
        }
    }
}
