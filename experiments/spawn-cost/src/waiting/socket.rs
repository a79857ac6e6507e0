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

pub(super) fn cells(units: u64) -> Vec<Cell> {
    let cell = |contender, body| super::cell(contender, "socket", units, body);
    let one_thread = move || timed(units, one_thread::request_on_each);
    let tokio = move || timed_in_a_task(units, tokio::request_on_each);
    let smol = move || timed_in_a_task(units, smol::request_on_each);
    let monoio = move || timed_in_a_task(units, monoio::request_on_each);
    let compio = move || timed_in_a_task(units, compio::request_on_each);
    let local =
        |executor: LocalExecutor, body| cell(executor.contender(), body);
    let on_monoio =
        |executor| local(executor, Body::local_task(executor, monoio));
    let glommio = move || timed_in_a_task(units, glommio::request_on_each);
    let on_glommio = Body::local_task(LocalExecutor::Glommio, glommio);
    let on_compio = Body::local_task(LocalExecutor::Compio, compio);
    let of_few = vec![
        cell(CURRENT_THREAD.contender(), Body::task(CURRENT_THREAD, tokio)),
        cell(SMOL.contender(), Body::task(SMOL, smol)),
        on_monoio(LocalExecutor::MonoioEpoll),
        on_monoio(LocalExecutor::MonoioIoUring),
        local(LocalExecutor::Glommio, on_glommio),
        local(LocalExecutor::Compio, on_compio),
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
