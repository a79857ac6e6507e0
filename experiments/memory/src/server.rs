//! A process that serves connections, and says how much memory it has while all of them
//! are open and silent.

use std::ffi::OsString;
use std::io::{self, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

use clap::Parser;
use host::memory;
use runtimes::std_thread;
use runtimes::tokio::MULTI_THREAD;
use tokio::io::AsyncWriteExt;

use crate::clients::{self, BURST, GREETING};
use crate::listings::{echo_task, echo_thread};
use crate::report::{self, Report};
use crate::wanted_connections::{BufferLife, WantedConnections};

/// How long after the last byte a unit has certainly gone back to waiting.
const SETTLED: Duration = Duration::from_millis(50);

/// How many bytes a connection has sent back.
type Echoed = Sender<io::Result<u64>>;

/// The `main` of such a process.
pub(crate) fn main(
    program: &Path,
    arguments: impl Iterator<Item = OsString>,
) -> ExitCode {
    harness::end_with_input();
    report::tell(served(program, &WantedConnections::parse_from(arguments)))
}

fn served(program: &Path, of: &WantedConnections) -> Result<Report, String> {
    let text = |error: io::Error| error.to_string();
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(text)?;
    let server = listener.local_addr().map_err(text)?;
    // Before this process joins its group, in which they are not to be.
    let mut clients =
        clients::start(program, server, of.connections, of.burst)?;
    if let Some(group) = &of.group {
        memory::join(group)?;
    }
    let echoed = serve(listener, of)?;
    let _all: u64 = clients.hear()?;
    thread::sleep(SETTLED);
    let report = Report::now(of.group.as_deref())?;
    if of.stay {
        report::tell(Ok(report));
        loop {
            thread::park();
        }
    }
    drop(clients);
    let sum: io::Result<u64> = echoed.iter().sum();
    let expected = if of.burst { of.connections * BURST } else { 0 };
    match sum {
        Ok(sum) if sum == expected => Ok(report),
        Ok(sum) => Err(format!("{sum} bytes were sent back, not {expected}")),
        Err(error) => Err(format!("a connection failed: {error}")),
    }
}

/// Serves as many connections as there are to be, and tells what became of each.
fn serve(
    listener: TcpListener,
    of: &WantedConnections,
) -> Result<Receiver<io::Result<u64>>, String> {
    let (echoed, all) = mpsc::channel();
    let (connections, buffer) = (of.connections, of.buffer);
    if of.contender == std_thread::NAME {
        thread::spawn(move || {
            // If it fails, a client hears of it.
            drop(by_threads(&listener, connections, buffer, &echoed));
        });
    } else if of.contender == MULTI_THREAD.name() {
        MULTI_THREAD.start()?;
        runtimes::tokio::multi_thread().spawn(by_tasks(
            listener,
            connections,
            buffer,
            echoed,
        ));
    } else {
        return Err(format!("no connections are served by {:?}", of.contender));
    }
    Ok(all)
}

fn by_threads(
    listener: &TcpListener,
    connections: u64,
    buffer: BufferLife,
    echoed: &Echoed,
) -> io::Result<()> {
    for _ in 0..connections {
        let (mut stream, _) = listener.accept()?;
        let echoed = echoed.clone();
        let serve = move || {
            stream.set_nodelay(true)?;
            stream.write_all(&GREETING)?;
            match buffer {
                BufferLife::Held => echo_thread::with_buffer_held(stream),
                BufferLife::WhileReading => {
                    echo_thread::with_buffer_while_reading(stream)
                }
            }
        };
        let unit = move || drop(echoed.send(serve()));
        thread::Builder::new().spawn(unit)?;
    }
    Ok(())
}

async fn by_tasks(
    listener: TcpListener,
    connections: u64,
    buffer: BufferLife,
    echoed: Echoed,
) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    for _ in 0..connections {
        let (mut stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        stream.write_all(&GREETING).await?;
        let echoed = echoed.clone();
        // Each is a type of its own: what holds no buffer is not as large as what does.
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
    Ok(())
}
