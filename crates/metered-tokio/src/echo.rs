//! A task for each connection, which counts its messages and how often it moved.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The length of a connection's buffer, in bytes: that of thread-per-core's servers.
const BUFFER: usize = 16 * 1024;

/// What all tasks have counted. They share a line, which may take time: none is
/// measured.
#[derive(Debug, Default)]
pub(crate) struct TaskCounts {
    bytes: AtomicU64,
    moves: AtomicU64,
}

impl TaskCounts {
    /// Bytes that were read.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Relaxed)
    }

    /// Messages handled on another worker than the one before on the connection.
    pub(crate) fn moves(&self) -> u64 {
        self.moves.load(Relaxed)
    }
}

/// Echoes on each connection that comes, until none can.
pub(crate) async fn serve(listener: TcpListener, counts: &'static TaskCounts) -> io::Result<()> {
    loop {
        let (connection, _) = listener.accept().await?;
        // Its error ends this connection, and no other.
        tokio::spawn(echo(connection, counts));
    }
}

async fn echo(mut connection: TcpStream, counts: &'static TaskCounts) -> io::Result<()> {
    connection.set_nodelay(true)?;
    let mut buffer = vec![0; BUFFER];
    let mut last = thread::current().id();
    loop {
        let read = connection.read(&mut buffer).await?;
        if read == 0 {
            return Ok(());
        }
        let here = thread::current().id();
        counts.bytes.fetch_add(read as u64, Relaxed);
        counts.moves.fetch_add(u64::from(here != last), Relaxed);
        last = here;
        connection.write_all(&buffer[..read]).await?;
    }
}
