//! Who answers: a runtime each, with the same task.

use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use futures_lite::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use noticing::{Executor, Settings};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::runtime::Builder;

/// How long a message is.
pub(super) const MESSAGE: usize = size_of::<u64>();

/// Sends each message back until there are no more. The connection does not block. An
/// error is why it cannot.
pub(super) type Serve = fn(TcpStream) -> Result<(), String>;

/// Threads of a runtime with several, whatever the machine, so that machines compare.
pub(super) const WORKERS: usize = 2;

pub(super) fn on_current_thread(connection: TcpStream) -> Result<(), String> {
    on_tokio(Builder::new_current_thread(), connection)
}

pub(super) fn on_multi_thread(connection: TcpStream) -> Result<(), String> {
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(WORKERS);
    on_tokio(builder, connection)
}

fn on_tokio(mut builder: Builder, connection: TcpStream) -> Result<(), String> {
    let runtime = builder.enable_all().build().map_err(runtimes::not_built)?;
    // On a worker, and not on the thread that only waits.
    let echo = runtime.spawn(async {
        let connection = tokio::net::TcpStream::from_std(connection);
        let mut connection = connection.expect("it does not block");
        let mut message = [0; MESSAGE];
        while connection.read_exact(&mut message).await.is_ok() {
            if connection.write_all(&message).await.is_err() {
                return;
            }
        }
    });
    runtime.block_on(echo).map_err(|error| error.to_string())
}

pub(super) fn on_smol(connection: TcpStream) -> Result<(), String> {
    let connection = smol::net::TcpStream::try_from(connection);
    let connection = connection.map_err(|error| error.to_string())?;
    let executor = smol::Executor::new();
    let echo = executor.spawn(echo(connection));
    let (stop, stopped) = smol::channel::bounded::<()>(1);
    thread::scope(|scope| {
        for _ in 0..WORKERS {
            // Closing the channel ends it.
            scope.spawn(|| smol::block_on(executor.run(stopped.recv())));
        }
        // Not by `smol::block_on`, with which this thread would ask the reactor, too.
        smol::future::block_on(echo);
        drop(stop);
    });
    Ok(())
}

/// Our executor that replaces a thread which is stuck, and looks for one every so many
/// microseconds; never, if that is 0.
pub(super) fn on_ours<const MICROS: i64>(
    connection: TcpStream,
) -> Result<(), String> {
    let every = Duration::from_micros(MICROS.unsigned_abs());
    let look_every = (!every.is_zero()).then_some(every);
    on(Settings { workers: WORKERS, spares: WORKERS, look_every }, connection)
}

/// The same with one thread, which nobody replaces.
pub(super) fn on_one_of_ours(connection: TcpStream) -> Result<(), String> {
    on(Settings { workers: 1, spares: 0, look_every: None }, connection)
}

fn on(settings: Settings, connection: TcpStream) -> Result<(), String> {
    let executor =
        Executor::new(settings).map_err(|error| error.to_string())?;
    executor.block_on(echo(noticing::TcpStream::from(connection)));
    Ok(())
}

/// If it fails, the load misses an answer, and says so.
async fn echo(mut connection: impl AsyncRead + AsyncWrite + Unpin) {
    let mut message = [0; MESSAGE];
    while connection.read_exact(&mut message).await.is_ok() {
        if connection.write_all(&message).await.is_err() {
            return;
        }
    }
}
