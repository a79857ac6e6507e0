//! What was published as the Monoio server, in our words: the driver that the
//! runtime chooses itself, a buffer of 4 KiB, a copy of each message in memory
//! allocated for it, Nagle's algorithm left on, and a panic as soon as one
//! `accept` fails.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use monoio::io::{AsyncReadRent, AsyncWriteRentExt};
use monoio::net::{TcpListener, TcpStream};
use monoio::{FusionDriver, FusionRuntime, RuntimeBuilder};
use monoio::{IoUringDriver, LegacyDriver};

/// A runtime on io_uring, or on epoll where it finds that io_uring cannot be
/// used.
pub fn runtime() -> io::Result<FusionRuntime<IoUringDriver, LegacyDriver>> {
    RuntimeBuilder::<FusionDriver>::new().build()
}

/// Echoes on each connection that comes, and counts them in `accepted`.
pub async fn serve(listener: TcpListener, accepted: &AtomicU64) {
    loop {
        let (connection, _) =
            listener.accept().await.expect("a connection is accepted");
        accepted.fetch_add(1, Ordering::Relaxed);
        monoio::spawn(echo(connection));
    }
}

async fn echo(mut connection: TcpStream) -> io::Result<()> {
    let mut buffer = vec![0; 4096];
    loop {
        let (read, filled) = connection.read(buffer).await;
        let read = read?;
        if read == 0 {
            return Ok(());
        }
        let message = filled[..read].to_vec();
        connection.write_all(message).await.0?;
        buffer = filled;
    }
}
