//! An echo server whose tasks count, on a runtime that counts: the server of `runtime-metrics` in
//! chapter `cache-locality`.

use std::io;
use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::RuntimeMetrics;

/// The length of a connection's buffer in bytes, equal to that of thread-per-core's servers.
const BUFFER: usize = 16 * 1024;

/// The bytes read by all tasks. The counters share a cache line, which may cost time, but no time
/// is measured here.
static BYTES: AtomicU64 = AtomicU64::new(0);

/// The reads that a task did on another worker than the previous read of its connection.
static MOVES: AtomicU64 = AtomicU64::new(0);

/// Reports its address, accepts connections and echoes on each, until accepting fails.
pub(crate) async fn serve(report: fn(String)) -> io::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    report(format!("\"{}\"", listener.local_addr()?));
    loop {
        let (connection, _) = listener.accept().await?;
        // An error ends this connection only.
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

/// Returns the counts so far as JSON: bytes and moves, and the runtime's own counts of polls, of
/// stolen tasks, and of steals, each of which may take several tasks.
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
