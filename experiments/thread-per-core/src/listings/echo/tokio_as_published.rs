//! A reimplementation of the published Tokio server. Its buffer of 4 KiB is
//! part of the task, Nagle's algorithm is on, and the server ends as soon as
//! one `accept` fails.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Accepts connections, counts them in `accepted`, and echoes what each of
/// them sends.
pub async fn serve(
    listener: TcpListener,
    accepted: &AtomicU64,
) -> io::Result<()> {
    loop {
        let (connection, _) = listener.accept().await?;
        accepted.fetch_add(1, Ordering::Relaxed);
        tokio::spawn(echo(connection));
    }
}

async fn echo(mut connection: TcpStream) -> io::Result<()> {
    let mut buffer = [0; 4096];
    loop {
        let read = connection.read(&mut buffer).await?;
        if read == 0 {
            return Ok(());
        }
        connection.write_all(&buffer[..read]).await?;
    }
}
