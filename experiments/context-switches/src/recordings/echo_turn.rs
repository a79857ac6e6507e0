//! A turn of an echo server that is one task on a runtime of one thread: from a
//! client's `write` until the server has answered, has found that nothing more
//! has come, and sleeps. The client is a thread on another core, and the same
//! for all.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::Duration;

use harness::{stamp, Cell, Party, RecordingPlan};
use monoio::{IoUringDriver, LegacyDriver, RuntimeBuilder};
use runtimes::monoio::{EPOLL, IO_URING};
use runtimes::tokio::CURRENT_THREAD;
use tokio::runtime::Builder;

use super::recorded_pair::{cell, TWO};
use crate::thread_pair::{First, Pair};

/// How long everybody sleeps between two turns.
const REST: Duration = Duration::from_micros(200);

pub(super) fn cells() -> [Cell; 3] {
    let turn =
        |contender, start, plan| cell(contender, "echo", TWO, 1, start, plan);
    [
        turn(CURRENT_THREAD.name(), on_tokio, by_readiness()),
        turn(EPOLL.name(), on_epoll, by_readiness()),
        turn(IO_URING.name(), on_io_uring, by_completion()),
    ]
}

/// What both have first: the message wakes the server's thread.
fn until_running() -> RecordingPlan {
    let parties = ["client", "server"];
    let begins = Party::Waker.stamps("write");
    RecordingPlan::of("turn", parties, "write", begins)
        .until("waking", Party::Waker.wakes())
        .until_perhaps("interrupt", Party::Waker.interrupts())
        .until("running", Party::Woken.runs())
        .apart()
}

/// epoll says that something can be read. The server reads it, answers, reads
/// once more in vain and asks epoll again.
fn by_readiness() -> RecordingPlan {
    let server = Party::Woken;
    until_running()
        .until("readiness", server.returns_from("epoll_wait"))
        .until("read", server.stamps("read"))
        .until("answered", server.stamps("answered"))
        .until("read again", server.enters("recvfrom"))
        .until("nothing", server.returns_from("recvfrom"))
        .until("epoll", server.enters("epoll_wait"))
        .until("asleep", server.sleeps())
        .with_calls(&["sendto"])
}

/// The kernel has read when it wakes the server; it writes, and reads again, by
/// the call in which the server waits.
fn by_completion() -> RecordingPlan {
    let server = Party::Woken;
    until_running()
        .until("completion", server.returns_from("io_uring_enter"))
        .until("read", server.stamps("read"))
        .until("submission", server.enters("io_uring_enter"))
        .until("answered", server.stamps("answered"))
        .until("asleep", server.sleeps())
        .with_calls(&["sendto", "recvfrom"])
}

fn on_tokio(first: First) -> Pair {
    start(first, |stream| {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.expect("a Tokio runtime can be built");
        runtime.block_on(with_tokio(stream)).expect("the client lives");
    })
}

async fn with_tokio(stream: UnixStream) -> io::Result<()> {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    stream.set_nonblocking(true)?;
    let mut stream = tokio::net::UnixStream::from_std(stream)?;
    let mut byte = [0];
    while stream.read(&mut byte).await? > 0 {
        stamp("read");
        stream.write_all(&byte).await?;
        stamp("answered");
    }
    Ok(())
}

fn on_epoll(first: First) -> Pair {
    start(first, |stream| {
        // Monoio leaves it as it is.
        stream.set_nonblocking(true).expect("a socket");
        let runtime = RuntimeBuilder::<LegacyDriver>::new().build();
        let mut runtime = runtime.expect("Monoio can be started");
        runtime.block_on(with_monoio(stream)).expect("the client lives");
    })
}

fn on_io_uring(first: First) -> Pair {
    start(first, |stream| {
        let runtime = RuntimeBuilder::<IoUringDriver>::new().build();
        let mut runtime = runtime.expect("Monoio can be started");
        runtime.block_on(with_monoio(stream)).expect("the client lives");
    })
}

async fn with_monoio(stream: UnixStream) -> io::Result<()> {
    use monoio::io::{AsyncReadRent, AsyncWriteRentExt};
    let mut stream = monoio::net::UnixStream::from_std(stream)?;
    let mut byte = Box::new([0]);
    loop {
        let (read, buffer) = stream.read(byte).await;
        if read? == 0 {
            return Ok(());
        }
        stamp("read");
        let (written, buffer) = stream.write_all(buffer).await;
        written?;
        stamp("answered");
        byte = buffer;
    }
}

/// The client is the thread that calls this; `serve` is what the other does,
/// until the client has gone.
fn start(first: First, serve: fn(UnixStream)) -> Pair {
    let (mut client, server) = UnixStream::pair().expect("there are sockets");
    thread::spawn(move || {
        first();
        serve(server);
    });
    Box::new(move |rounds| {
        let turn = |_| {
            stamp("write");
            client.write_all(&[1]).expect("it is read");
            let mut byte = [0];
            client.read_exact(&mut byte).expect("it is answered");
            thread::sleep(REST);
            u64::from(byte[0])
        };
        (0..rounds).map(turn).sum()
    })
}
