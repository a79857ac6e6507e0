//! Units that wait for an answer from a socket.
//!
//! Each gets a connection of its own, a Unix socket that has been opened and
//! accepted off the clock: connecting is another question. (Over TCP, 1,000
//! connections for each operation would soon use up the machine's ports.) On
//! the clock a unit registers it with its runtime, sends eight bytes, awaits
//! eight bytes, and closes it.

use std::future::Future;
use std::io;
use std::os::unix::net::UnixStream;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use harness::{room_for_files, Body, Cell, LocalExecutor};

use super::{CURRENT_THREAD, MULTI_THREAD, PUBLISHED, SMOL, WAIT};

pub mod compio;
pub mod glommio;
pub mod monoio;
pub mod one_thread;
mod server;
pub mod smol;
pub mod std_thread;
pub mod tokio;

use server::Server;

/// One for all contenders of a process.
static SERVER: LazyLock<io::Result<Server>> =
    LazyLock::new(|| Server::start(WAIT));

/// Connections to the server.
fn connect(units: u64) -> Vec<UnixStream> {
    let server = SERVER.as_ref().expect("the server can be started");
    server.connect(units).expect("the server can be connected to")
}

/// Times the requests of one operation, and not the connecting.
fn timed(
    units: u64,
    request_on_each: impl Fn(Vec<UnixStream>) -> io::Result<u64>,
) -> (Duration, u64) {
    let connections = connect(units);
    let start = Instant::now();
    let sum = request_on_each(connections).expect("every request is answered");
    (start.elapsed(), sum)
}

/// The same in a task.
async fn timed_in_a_task<Sum>(
    units: u64,
    request_on_each: impl Fn(Vec<UnixStream>) -> Sum,
) -> (Duration, u64)
where
    Sum: Future<Output = io::Result<u64>>,
{
    let connections = connect(units);
    let start = Instant::now();
    let sum = request_on_each(connections).await;
    (start.elapsed(), sum.expect("every request is answered"))
}

/// Threads that ask.
fn ask_in_threads(units: u64) -> (Duration, u64) {
    timed(units, std_thread::request_on_each)
}

/// A task that stays on its thread, with the executor's own sockets.
fn local<Sum>(
    units: u64,
    executor: LocalExecutor,
    request_on_each: fn(Vec<UnixStream>) -> Sum,
) -> Cell
where
    Sum: Future<Output = io::Result<u64>> + 'static,
{
    let operation = move || timed_in_a_task(units, request_on_each);
    let body = Body::local_task(executor, operation);
    super::cell(executor.contender(), "socket", units, body)
}

pub(super) fn cells(units: u64) -> Vec<Cell> {
    let cell = |contender, body| super::cell(contender, "socket", units, body);
    let one_thread = move || timed(units, one_thread::request_on_each);
    let tokio = move || timed_in_a_task(units, tokio::request_on_each);
    let smol = move || timed_in_a_task(units, smol::request_on_each);
    let of_few = vec![
        cell(CURRENT_THREAD.contender(), Body::task(CURRENT_THREAD, tokio)),
        cell(SMOL.contender(), Body::task(SMOL, smol)),
        local(units, LocalExecutor::MonoioEpoll, monoio::request_on_each),
        local(units, LocalExecutor::MonoioIoUring, monoio::request_on_each),
        local(units, LocalExecutor::Glommio, glommio::request_on_each),
        local(units, LocalExecutor::Compio, compio::request_on_each),
    ];
    let mut cells = vec![
        cell("baseline", Body::self_timed(move || one_thread)).full_only(),
        super::threads("socket", units, ask_in_threads),
        cell(MULTI_THREAD.contender(), Body::task(MULTI_THREAD, tokio)),
    ];
    // Ten times as many connections take long to open, so fewer contenders do.
    if units == PUBLISHED {
        cells.extend(of_few.into_iter().map(Cell::full_only));
    }
    let with_files = |cell: Cell| cell.needs(move || room_for_files(units));
    cells.into_iter().map(with_files).collect()
}
