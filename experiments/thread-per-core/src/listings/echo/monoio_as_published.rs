//! A reimplementation of the published Monoio server. It lets the runtime
//! choose the driver, has a buffer of 4 KiB, copies each message into newly
//! allocated memory, leaves Nagle's algorithm on, and panics as soon as one
//! `accept` fails.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use monoio::io::{AsyncReadRent, AsyncWriteRentExt};
use monoio::net::{TcpListener, TcpStream};
use monoio::{FusionDriver, FusionRuntime, RuntimeBuilder};
use monoio::{IoUringDriver, LegacyDriver};

/// Creates a runtime that uses io_uring, or epoll if the kernel refuses
/// io_uring.
pub fn runtime() -> io::Result<FusionRuntime<IoUringDriver, LegacyDriver>> {
    RuntimeBuilder::<FusionDriver>::new().build()
}

/// Accepts connections, counts them in `accepted`, and echoes what each of
/// them sends.
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
