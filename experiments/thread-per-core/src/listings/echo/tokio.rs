//! An echo server with a Tokio task for each connection.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;

/// Echoes on each connection that comes, and counts them in `accepted`. It runs
/// on either flavour of the runtime.
pub async fn serve(listener: TcpListener, accepted: &AtomicU64) {
    loop {
        match listener.accept().await {
            Ok((connection, _)) => {
                accepted.fetch_add(1, Ordering::Relaxed);
                // Its error ends this connection, and no other.
                tokio::spawn(echo(connection));
            }
            // Most likely there are too many open files. Trying again at once
            // would fail again at once.
            Err(_) => sleep(Duration::from_millis(50)).await,
        }
    }
}

async fn echo(mut connection: TcpStream) -> io::Result<()> {
    connection.set_nodelay(true)?;
    let mut buffer = vec![0; 16 * 1024];
    loop {
        let read = connection.read(&mut buffer).await?;
        if read == 0 {
            return Ok(());
        }
        connection.write_all(&buffer[..read]).await?;
    }
}
