//! One server per runtime. All of them run the same echo task.

use std::net::TcpStream;
use std::time::Duration;

use noticing::{Executor, Settings};
use tokio::runtime::Runtime;

use crate::connection::{echo, OfFutures};
use crate::executors::{self, ours, tokio_current_thread, tokio_multi_thread};

/// A server: sends each message on a non-blocking connection back until the
/// connection ends. Returns an error if the runtime can't run here.
pub(super) type Serve = fn(TcpStream) -> Result<(), String>;

pub(super) fn on_current_thread(connection: TcpStream) -> Result<(), String> {
    on_tokio(&tokio_current_thread()?, connection)
}

pub(super) fn on_multi_thread(connection: TcpStream) -> Result<(), String> {
    on_tokio(&tokio_multi_thread()?, connection)
}

fn on_tokio(runtime: &Runtime, connection: TcpStream) -> Result<(), String> {
    // Running the server as a task puts it on a worker; the thread in
    // `block_on` isn't a worker.
    let echo = runtime.spawn(async {
        let connection = tokio::net::TcpStream::from_std(connection);
        echo(connection.expect("it does not block")).await;
    });
    runtime.block_on(echo).map_err(|error| error.to_string())
}

pub(super) fn on_smol(connection: TcpStream) -> Result<(), String> {
    let connection = smol::net::TcpStream::try_from(connection);
    let connection = connection.map_err(|error| error.to_string())?;
    let executor = smol::Executor::new();
    let echo = executor.spawn(echo(OfFutures(connection)));
    executors::on_smol(&executor, echo);
    Ok(())
}

/// Serves on our executor, whose monitor checks for stuck threads every
/// `MICROS` microseconds. 0 means no monitor.
pub(super) fn on_ours<const MICROS: i64>(
    connection: TcpStream,
) -> Result<(), String> {
    let every = Duration::from_micros(MICROS.unsigned_abs());
    on(&ours((!every.is_zero()).then_some(every))?, connection);
    Ok(())
}

/// Serves on our executor with a single thread. There is no replacement if
/// the thread is stuck.
pub(super) fn on_one_of_ours(connection: TcpStream) -> Result<(), String> {
    let settings = Settings { workers: 1, spares: 0, look_every: None };
    let executor =
        Executor::new(settings).map_err(|error| error.to_string())?;
    on(&executor, connection);
    Ok(())
}

fn on(executor: &Executor, connection: TcpStream) {
    let connection = noticing::TcpStream::from(connection);
    executor.block_on(echo(OfFutures(connection)));
}
