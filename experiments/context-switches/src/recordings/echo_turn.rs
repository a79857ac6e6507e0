//! Records a turn of an echo server that has one task: from a client's
//! `write` until the server has answered. If the server has only one thread,
//! the turn ends when that thread sleeps again. The client is a thread on
//! another core, the same for all servers. The connection is TCP over
//! loopback.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use harness::{room_for_ring, stamp, Cell, Party, RecordingPlan};
use monoio::{IoUringDriver, LegacyDriver, RuntimeBuilder};
use runtimes::compio::DEFAULT as COMPIO;
use runtimes::glommio::UNBOUND as GLOMMIO;
use runtimes::monoio::{EPOLL, IO_URING};
use runtimes::no_ring;
use runtimes::smol::GLOBAL as SMOL;
use runtimes::tokio::{CURRENT_THREAD, MULTI_THREAD};
use tokio::runtime::Builder;

use super::recorded_pair::{cell, STD, TWO};
use crate::thread_pair::{First, Pair};

/// How long the client sleeps after each answer, so that the server sleeps,
/// too.
const REST: Duration = Duration::from_micros(200);

pub(super) fn cells() -> [Cell; 8] {
    let turn =
        |contender, start, plan| cell(contender, "echo", TWO, 1, start, plan);
    [
        turn(STD, in_a_thread, by_waiting()),
        turn(CURRENT_THREAD.name(), on_tokio, by_readiness()),
        turn(
            MULTI_THREAD.name(),
            on_tokio_workers,
            on_several_threads("epoll_wait"),
        ),
        turn(SMOL.name(), on_smol, on_several_threads("epoll_pwait")),
        turn(EPOLL.name(), on_epoll, by_readiness()),
        turn(IO_URING.name(), on_io_uring, by_completion()).needs(|| {
            let built = RuntimeBuilder::<IoUringDriver>::new().build();
            built.map(drop).map_err(no_ring)
        }),
        turn(COMPIO.name(), on_compio, by_completion()).needs(|| {
            let built = compio::runtime::Runtime::new();
            built.map(drop).map_err(no_ring)
        }),
        turn(GLOMMIO.name(), on_glommio, by_ring_and_calls()).needs(|| {
            // Creates a ring only to get an error, since Glommio panics if it
            // can't create one.
            room_for_ring()?;
            let unbound = glommio::Placement::Unbound;
            let made = glommio::LocalExecutorBuilder::new(unbound).make();
            made.map(drop).map_err(no_ring)
        }),
    ]
}

/// Returns the recorded steps that all servers have in common: the message
/// wakes the server's thread, which then runs.
fn until_running() -> RecordingPlan {
    let parties = ["client", "server"];
    let begins = Party::Waker.stamps("write");
    RecordingPlan::of("turn", parties, "write", begins)
        .until("waking", Party::Waker.wakes())
        .until_perhaps("interrupt", Party::Waker.interrupts())
        .until("running", Party::Woken.runs())
        .with_calls(&["sendto", "recvfrom", "futex"])
        .apart()
}

/// Returns the steps to record for a server whose thread sleeps in the call
/// that reads.
fn by_waiting() -> RecordingPlan {
    let server = Party::Woken;
    until_running()
        .until("read", server.stamps("read"))
        .until("answered", server.stamps("answered"))
        .until("asleep", server.sleeps())
}

/// Returns the steps to record for a server that waits in epoll: it reads,
/// answers, tries to read once more and waits in epoll again.
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
}

/// Returns the steps to record for a server with several threads. One of them
/// returns from `call`, which waits in epoll. It may read the message itself,
/// or wake another thread to do that.
fn on_several_threads(call: &'static str) -> RecordingPlan {
    let server = Party::Woken;
    until_running()
        .until("readiness", server.returns_from(call))
        .until_perhaps("other thread woken", server.wakes_anybody())
        .until_perhaps("read", server.stamps("read"))
        .until("answered", Party::Anybody.stamps("answered"))
}

/// Returns the steps to record for a server on io_uring. The kernel has read
/// the message before it wakes the server, which writes, reads again and
/// waits in one system call.
fn by_completion() -> RecordingPlan {
    let server = Party::Woken;
    until_running()
        .until("completion", server.returns_from("io_uring_enter"))
        .until("read", server.stamps("read"))
        .until("submission", server.enters("io_uring_enter"))
        .until("answered", server.stamps("answered"))
        .until("asleep", server.sleeps())
}

/// Returns the steps to record for a server whose ring only reports that the
/// socket is readable. Reads and writes are separate calls. With this many
/// calls, only one batch fits into the kernel's buffer.
fn by_ring_and_calls() -> RecordingPlan {
    let server = Party::Woken;
    until_running()
        .until("completion", server.returns_from("io_uring_enter"))
        .until("read", server.stamps("read"))
        .until("answered", server.stamps("answered"))
        .until("asleep", server.sleeps())
        .in_batches_of(1)
}

fn in_a_thread(first: First) -> Pair {
    start(first, |mut stream| {
        let mut byte = [0];
        while stream.read(&mut byte).expect(ALIVE) > 0 {
            stamp("read");
            stream.write_all(&byte).expect(ALIVE);
            stamp("answered");
        }
    })
}

fn on_tokio(first: First) -> Pair {
    start(first, |stream| {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.expect("a Tokio runtime can be built");
        runtime.block_on(with_tokio(stream)).expect(ALIVE);
    })
}

/// Starts an echo server on a Tokio runtime with two workers. Both share the
/// core of the thread that starts them.
fn on_tokio_workers(first: First) -> Pair {
    start(first, |stream| {
        let mut builder = Builder::new_multi_thread();
        let runtime = builder.worker_threads(2).enable_all().build();
        let runtime = runtime.expect("a Tokio runtime can be built");
        let server = runtime.spawn(with_tokio(stream));
        runtime.block_on(server).expect("it does not panic").expect(ALIVE);
    })
}

async fn with_tokio(stream: TcpStream) -> io::Result<()> {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    stream.set_nonblocking(true)?;
    let mut stream = tokio::net::TcpStream::from_std(stream)?;
    let mut byte = [0];
    while stream.read(&mut byte).await? > 0 {
        stamp("read");
        stream.write_all(&byte).await?;
        stamp("answered");
    }
    Ok(())
}

/// Starts an echo server on smol's global executor. Its threads share the
/// core of the thread that starts them.
fn on_smol(first: First) -> Pair {
    start(first, |stream| {
        let server = smol::spawn(with_smol(stream));
        futures_lite::future::block_on(server).expect(ALIVE);
    })
}

async fn with_smol(stream: TcpStream) -> io::Result<()> {
    use futures_lite::{AsyncReadExt, AsyncWriteExt};
    let mut stream = smol::Async::new(stream)?;
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
        // Monoio doesn't set the socket's blocking mode itself.
        stream.set_nonblocking(true).expect("a socket");
        let runtime = RuntimeBuilder::<LegacyDriver>::new().build();
        let mut runtime = runtime.expect("Monoio can be started");
        runtime.block_on(with_monoio(stream)).expect(ALIVE);
    })
}

fn on_io_uring(first: First) -> Pair {
    start(first, |stream| {
        let runtime = RuntimeBuilder::<IoUringDriver>::new().build();
        let mut runtime = runtime.expect("Monoio can be started");
        runtime.block_on(with_monoio(stream)).expect(ALIVE);
    })
}

async fn with_monoio(stream: TcpStream) -> io::Result<()> {
    use monoio::io::{AsyncReadRent, AsyncWriteRentExt};
    let mut stream = monoio::net::TcpStream::from_std(stream)?;
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

fn on_compio(first: First) -> Pair {
    start(first, |stream| {
        let runtime = compio::runtime::Runtime::new();
        let runtime = runtime.expect("compio can be started");
        runtime.block_on(with_compio(stream)).expect(ALIVE);
    })
}

async fn with_compio(stream: TcpStream) -> io::Result<()> {
    use compio::io::{AsyncRead, AsyncWriteExt};
    let mut stream = compio::net::TcpStream::from_std(stream)?;
    let mut byte = [0];
    loop {
        let (read, buffer) = stream.read(byte).await.into();
        if read? == 0 {
            return Ok(());
        }
        stamp("read");
        let (written, buffer) = stream.write_all(buffer).await.into();
        written?;
        stamp("answered");
        byte = buffer;
    }
}

/// Starts an echo server on Glommio. It creates its own listener, since
/// Glommio doesn't accept a socket that was opened elsewhere.
fn on_glommio(first: First) -> Pair {
    let (listens, address) = mpsc::channel::<SocketAddr>();
    thread::spawn(move || {
        first();
        let unbound = glommio::Placement::Unbound;
        let executor = glommio::LocalExecutorBuilder::new(unbound).make();
        let executor = executor.expect("Glommio can be started");
        executor.run(async move {
            let listener = glommio::net::TcpListener::bind(HERE);
            let listener = listener.expect("there is a port");
            let address = listener.local_addr().expect("it listens");
            listens.send(address).expect("the client waits for it");
            let stream = listener.accept().await.expect("the client comes");
            with_glommio(stream).await.expect(ALIVE);
        });
    });
    turns(connected(address.recv().expect("it listens")))
}

async fn with_glommio(mut stream: glommio::net::TcpStream) -> io::Result<()> {
    use futures_lite::{AsyncReadExt, AsyncWriteExt};
    stream.set_nodelay(true)?;
    let mut byte = [0];
    while stream.read(&mut byte).await? > 0 {
        stamp("read");
        stream.write_all(&byte).await?;
        stamp("answered");
    }
    Ok(())
}

const HERE: &str = "127.0.0.1:0";

const ALIVE: &str = "the client lives";

/// Starts a client and a server. The client is the calling thread. The server
/// is a new thread, which calls `serve` and ends when the client closes its
/// connection.
fn start(first: First, serve: fn(TcpStream)) -> Pair {
    let listener = TcpListener::bind(HERE).expect("there is a port");
    let client = connected(listener.local_addr().expect("it listens"));
    let (server, _) = listener.accept().expect("the client comes");
    server.set_nodelay(true).expect("a socket");
    thread::spawn(move || {
        first();
        serve(server);
    });
    turns(client)
}

fn connected(address: SocketAddr) -> TcpStream {
    let client = TcpStream::connect(address).expect("the server listens");
    client.set_nodelay(true).expect("a socket");
    client
}

/// Returns the client, a function that makes turns one after the other and
/// sleeps after each.
fn turns(mut client: TcpStream) -> Pair {
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
