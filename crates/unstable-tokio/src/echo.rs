//! An echo server whose tasks count, on a runtime that counts: what `runtime-metrics` of chapter `cache-locality` asks.

use std::io;
use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::RuntimeMetrics;

/// The length of a connection's buffer, in bytes: that of thread-per-core's servers.
const BUFFER: usize = 16 * 1024;

/// The bytes that all tasks have read. The counters share a line, which may take time: none is measured.
static BYTES: AtomicU64 = AtomicU64::new(0);

/// The messages that a task handled on another worker than the one before on its connection.
static MOVES: AtomicU64 = AtomicU64::new(0);

/// Reports where it listens, and echoes on each connection that comes, until none can.
pub(crate) async fn serve(report: fn(String)) -> io::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    report(format!("\"{}\"", listener.local_addr()?));
    loop {
        let (connection, _) = listener.accept().await?;
        // Its error ends this connection, and no other.
        tokio::spawn(echo(connection));
    }
}

async fn echo(mut connection: TcpStream) -> io::Result<()> {
    connection.set_nodelay(true)?;
    let mut buffer = vec![0; BUFFER];
    let mut last = thread::current().id();
    loop {
        let read = connection.read(&mut buffer).await?;
        if read == 0 {
            return Ok(());
        }
        let here = thread::current().id();
        BYTES.fetch_add(read as u64, Relaxed);
        MOVES.fetch_add(u64::from(here != last), Relaxed);
        last = here;
        connection.write_all(&buffer[..read]).await?;
    }
}

/// What has been counted so far, as JSON: bytes and moves; and by the runtime itself the polls of tasks, the tasks that
/// workers have stolen from each other, and how often one stole, whatever number of them.
pub(crate) fn counts(runtime: &RuntimeMetrics) -> String {
    let of_workers = |count: fn(&RuntimeMetrics, usize) -> u64| {
        (0..runtime.num_workers()).map(|worker| count(runtime, worker)).sum()
    };
    let counts: [u64; 5] = [
        BYTES.load(Relaxed),
        MOVES.load(Relaxed),
        of_workers(RuntimeMetrics::worker_poll_count),
        of_workers(RuntimeMetrics::worker_steal_count),
        of_workers(RuntimeMetrics::worker_steal_operations),
    ];
    format!("{counts:?}")
}
