//! A process that serves connections, and reports its memory while all of them
//! are open and silent.

use std::ffi::OsString;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

use clap::Parser;
use host::memory;
use runtimes::std_thread;
use runtimes::tokio::{multi_thread, MULTI_THREAD};
use tokio::net::TcpStream;

use crate::batches::batches;
use crate::listings::{echo_task, echo_thread};
use crate::peers::{connections_to, Peers, BURST};
use crate::report::{self, Report};
use crate::wanted_connections::{BufferLife, WantedConnections};

/// If a connection gets no data for this long, the thread or task that serves
/// it is certainly waiting again.
const SETTLED: Duration = Duration::from_millis(20);

/// Sends each connection's result: the number of bytes that it echoed, or an
/// error.
type Echoed = Sender<io::Result<u64>>;

pub(crate) fn main(
    program: &Path,
    arguments: impl Iterator<Item = OsString>,
) -> ExitCode {
    harness::end_with_input();
    report::tell(served(program, &WantedConnections::parse_from(arguments)))
}

fn served(program: &Path, of: &WantedConnections) -> Result<Report, String> {
    // Starts the peers (the other ends of the connections) before this
    // process joins its control group, so that they stay outside the group.
    let mut peers = Peers::start(program, of.connections, of.burst)?;
    if let Some(group) = &of.group {
        memory::join(group)?;
    }
    let echoed = serve(peers.address(), of)?;
    peers.wait()?;
    thread::sleep(SETTLED);
    let report = Report::now(of.group.as_deref())?;
    if of.stay {
        report::tell(Ok(report));
        loop {
            thread::park();
        }
    }
    drop(peers);
    let sum: io::Result<u64> = echoed.iter().sum();
    let expected = if of.burst { of.connections * BURST } else { 0 };
    match sum {
        Ok(sum) if sum == expected => Ok(report),
        Ok(sum) => Err(format!("{sum} bytes were sent back, not {expected}")),
        Err(error) => Err(format!("a connection failed: {error}")),
    }
}

/// Connects to the peers, and serves the connections. Returns a channel to
/// which each connection's result is sent.
fn serve(
    peers: SocketAddr,
    of: &WantedConnections,
) -> Result<Receiver<io::Result<u64>>, String> {
    let (echoed, all) = mpsc::channel();
    let (connections, buffer) = (of.connections, of.buffer);
    let served = if of.contender == std_thread::NAME {
        by_threads(peers, connections, buffer, &echoed)
    } else if of.contender == MULTI_THREAD.name() {
        MULTI_THREAD.start()?;
        let served = by_tasks(peers, connections, buffer, echoed);
        let task = multi_thread().spawn(served);
        let ended = multi_thread().block_on(task);
        ended.map_err(|error| error.to_string())?
    } else {
        return Err(format!("no connections are served by {:?}", of.contender));
    };
    served.map_err(|error| format!("of {connections} connections: {error}"))?;
    Ok(all)
}

fn by_threads(
    peers: SocketAddr,
    connections: u64,
    buffer: BufferLife,
    echoed: &Echoed,
) -> io::Result<()> {
    for batch in batches(connections) {
        for stream in connections_to(peers, batch)? {
            let echoed = echoed.clone();
            let unit = move || {
                let sent = match buffer {
                    BufferLife::Held => echo_thread::with_buffer_held(stream),
                    BufferLife::WhileReading => {
                        echo_thread::with_buffer_while_reading(stream)
                    }
                };
                drop(echoed.send(sent));
            };
            thread::Builder::new().spawn(unit)?;
        }
    }
    Ok(())
}

async fn by_tasks(
    peers: SocketAddr,
    connections: u64,
    buffer: BufferLife,
    echoed: Echoed,
) -> io::Result<()> {
    for batch in batches(connections) {
        for stream in connections_to(peers, batch)? {
            let echoed = echoed.clone();
            stream.set_nonblocking(true)?;
            let stream = TcpStream::from_std(stream)?;
            // Tasks with and without a buffer have different types. A task
            // without a buffer is smaller.
            match buffer {
                BufferLife::Held => {
                    tokio::spawn(async move {
                        let sent = echo_task::with_buffer_held(stream).await;
                        drop(echoed.send(sent));
                    });
                }
                BufferLife::WhileReading => {
                    tokio::spawn(async move {
                        let sent =
                            echo_task::with_buffer_while_reading(stream).await;
                        drop(echoed.send(sent));
                    });
                }
            }
        }
    }
    Ok(())
}
