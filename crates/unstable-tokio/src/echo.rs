//! An echo server that counts what its tasks do: the server of `runtime-metrics` in chapter
//! `cache-locality`.

use std::io;
use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::RuntimeMetrics;

/// The length of a connection's buffer in bytes. The servers in chapter `thread-per-core` use the
/// same length.
const BUFFER: usize = 16 * 1024;

/// The number of bytes read by all tasks. The two counters share a cache line. This may slow them
/// down, but no time is measured here.
static BYTES: AtomicU64 = AtomicU64::new(0);

/// The number of reads that took place on a different worker from the previous read of the same
/// connection.
static MOVES: AtomicU64 = AtomicU64::new(0);

/// Reports the server's address, accepts connections and echoes on each, until accepting fails.
pub(crate) async fn serve(report: fn(String)) -> io::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    report(format!("\"{}\"", listener.local_addr()?));
    loop {
        let (connection, _) = listener.accept().await?;
        // An error ends only this connection, so it is ignored.
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

/// Returns the counts so far as JSON: the bytes, the moves of tasks between workers, and the
/// runtime's own counts of polls, steals and stolen tasks. A steal may take several tasks.
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
