//! Helpers for tests that run servers as processes.

use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use thread_per_core::serve::{command, Running, Server};

/// How long a client waits for an answer. A server that hangs fails its test.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_thread-per-core"))
}

pub(crate) fn workers() -> usize {
    thread::available_parallelism().map_or(1, usize::from).min(2)
}

/// Returns the command that starts `server` with its defaults, and with up to
/// two workers.
pub(crate) fn as_it_is(server: &Server) -> Command {
    command(program(), server, workers(), &[])
}

/// Tests each of `servers` that can run here, and fails with the names of
/// those that fail. Prints which servers can't run.
pub(crate) fn each_of(
    servers: &'static [Server],
    start: impl Fn(&'static Server) -> Command,
    test: impl Fn(&'static Server, Running) -> Result<(), String>,
) {
    each_outcome_of(servers, start, |server, outcome| match outcome {
        Ok(running) => test(server, running),
        // A server that can't run here is skipped. Monoio's fusion driver
        // lists no requirement, but can still fail if it finds neither
        // io_uring nor epoll.
        Err(reason)
            if !server.needs.is_empty()
                || reason.contains(runtimes::NOT_BUILT) =>
        {
            println!("{} cannot run here: {reason}", server.name());
            Ok(())
        }
        Err(reason) => Err(reason),
    });
}

/// Tests each of `servers`. The test gets the running server, or the reason
/// why it can't run.
pub(crate) fn each_outcome_of(
    servers: &'static [Server],
    start: impl Fn(&'static Server) -> Command,
    test: impl Fn(&'static Server, Result<Running, String>) -> Result<(), String>,
) {
    let failed: Vec<String> = servers
        .iter()
        .filter_map(|server| {
            let outcome = test(server, Running::start(start(server)));
            Some(format!("{}: {}", server.name(), outcome.err()?))
        })
        .collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

pub(crate) fn connect(address: SocketAddr) -> Result<TcpStream, String> {
    let client = TcpStream::connect_timeout(&address, PATIENCE)
        .map_err(|error| format!("no connection: {error}"))?;
    client.set_read_timeout(Some(PATIENCE)).unwrap();
    client.set_write_timeout(Some(PATIENCE)).unwrap();
    client.set_nodelay(true).unwrap();
    Ok(client)
}
