//! The servers: one per runtime, with one task per connection.

use std::net::TcpListener;
use std::time::Duration;

use thread_per_core::listings::http::answer::answer;
use tokio::runtime::Runtime;

use crate::connection::{Messages, OfFutures};
use crate::executors::{self, ours, tokio_current_thread, tokio_multi_thread};

pub(super) const CONNECTIONS: usize = 50;

/// How often our executor's monitor checks for stuck threads.
pub(super) const LOOKS: Duration = Duration::from_millis(1);

/// A server: accepts [`CONNECTIONS`] connections from a non-blocking
/// listener, and answers requests until all of them are closed. Returns an
/// error if the runtime can't run here.
pub(super) type Serve = fn(TcpListener) -> Result<(), String>;

pub(super) fn on_current_thread(listener: TcpListener) -> Result<(), String> {
    on_tokio(&tokio_current_thread()?, listener)
}

pub(super) fn on_multi_thread(listener: TcpListener) -> Result<(), String> {
    on_tokio(&tokio_multi_thread()?, listener)
}

fn on_tokio(runtime: &Runtime, listener: TcpListener) -> Result<(), String> {
    // Running the server as a task puts it on a worker; the thread in
    // `block_on` isn't a worker.
    let served = runtime.spawn(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let mut tasks = Vec::new();
        for _ in 0..CONNECTIONS {
            let (connection, _) = listener.accept().await?;
            connection.set_nodelay(true)?;
            tasks.push(tokio::spawn(converse(connection)));
        }
        for task in tasks {
            task.await?;
        }
        Ok(())
    });
    in_words(runtime.block_on(served).map_err(|error| error.to_string())?)
}

pub(super) fn on_smol(listener: TcpListener) -> Result<(), String> {
    let executor = smol::Executor::new();
    let served = async {
        let listener = smol::net::TcpListener::try_from(listener)?;
        let mut tasks = Vec::new();
        for _ in 0..CONNECTIONS {
            let (connection, _) = listener.accept().await?;
            connection.set_nodelay(true)?;
            tasks.push(executor.spawn(converse(OfFutures(connection))));
        }
        for task in tasks {
            task.await;
        }
        Ok(())
    };
    in_words(executors::on_smol(&executor, served))
}

pub(super) fn watched(listener: TcpListener) -> Result<(), String> {
    on_ours(&ours(Some(LOOKS))?, listener)
}

pub(super) fn unwatched(listener: TcpListener) -> Result<(), String> {
    on_ours(&ours(None)?, listener)
}

fn on_ours(
    executor: &noticing::Executor,
    listener: TcpListener,
) -> Result<(), String> {
    in_words(executor.block_on(async {
        let mut listener = noticing::TcpListener::from(listener);
        let mut tasks = Vec::new();
        for _ in 0..CONNECTIONS {
            let (connection, _) = listener.accept().await?;
            connection.set_nodelay(true)?;
            tasks.push(noticing::spawn(converse(OfFutures(connection))));
        }
        for task in tasks {
            task.await.expect("no task panics");
        }
        Ok(())
    }))
}

fn in_words(served: std::io::Result<()>) -> Result<(), String> {
    served.map_err(|error| format!("it cannot serve: {error}"))
}

/// Answers the requests on a connection. Ignores an error: the load generator
/// then reports a missing answer.
async fn converse(mut connection: impl Messages) {
    let mut received = vec![0; 16 * 1024];
    let mut filled = 0;
    let mut answers = Vec::with_capacity(1024);
    loop {
        match connection.receive_some(&mut received[filled..]).await {
            0 => return,
            read => filled += read,
        }
        let taken = answer(&received[..filled], &mut answers);
        if !connection.send(&answers).await {
            return;
        }
        answers.clear();
        let Some(taken) = taken else { return };
        // Moves the beginning of an incomplete request to the front of the
        // buffer.
        received.copy_within(taken..filled, 0);
        filled -= taken;
    }
}
