//! Connections to a server that answers after a wait, and the timing of
//! requests on them.
//!
//! Each unit gets a Unix socket that has been opened and accepted before
//! timing begins: the cost of connecting is another question. (Over TCP,
//! 1,000 connections per operation would soon use up the machine's ports.)
//! While it is timed, a unit registers its socket with its runtime, sends
//! eight bytes, awaits eight bytes, and closes the socket.

use std::future::Future;
use std::io;
use std::os::unix::net::UnixStream;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

mod server;

use server::Server;

/// Opens `units` connections to the server of this process, which waits for
/// `wait` before each answer.
fn connect(units: u64, wait: Duration) -> Vec<UnixStream> {
    static SERVER: OnceLock<io::Result<Server>> = OnceLock::new();
    let server = SERVER.get_or_init(|| Server::start(wait));
    let server = server.as_ref().expect("the server can be started");
    server.connect(units).expect("the server can be connected to")
}

/// Opens connections, then times the requests on them.
pub(super) fn timed(
    units: u64,
    wait: Duration,
    request_on_each: impl Fn(Vec<UnixStream>) -> io::Result<u64>,
) -> (Duration, u64) {
    let connections = connect(units, wait);
    let start = Instant::now();
    let sum = request_on_each(connections).expect("every request is answered");
    (start.elapsed(), sum)
}

/// Like [`timed`], but for requests that are made in a task.
pub(super) async fn timed_in_a_task<Sum>(
    units: u64,
    wait: Duration,
    request_on_each: impl Fn(Vec<UnixStream>) -> Sum,
) -> (Duration, u64)
where
    Sum: Future<Output = io::Result<u64>>,
{
    let connections = connect(units, wait);
    let start = Instant::now();
    let sum = request_on_each(connections).await;
    (start.elapsed(), sum.expect("every request is answered"))
}
