//! An echo server with a compio task for each connection. The kernel owns the
//! buffer while it reads and writes, so the buffer is given away and comes back.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use compio::io::{AsyncRead, AsyncWriteExt};
use compio::net::{TcpListener, TcpStream};
use compio::time::sleep;

/// Echoes on each connection that comes, and counts them in `accepted`.
pub async fn serve(listener: TcpListener, accepted: &AtomicU64) {
    loop {
        match listener.accept().await {
            Ok((connection, _)) => {
                accepted.fetch_add(1, Ordering::Relaxed);
                // Its error ends this connection, and no other.
                compio::runtime::spawn(echo(connection)).detach();
            }
            // Most likely there are too many open files. Trying again at once
            // would fail again at once.
            Err(_) => sleep(Duration::from_millis(50)).await,
        }
    }
}

async fn echo(mut connection: TcpStream) -> io::Result<()> {
    connection.set_nodelay(true)?;
    let mut buffer = Vec::with_capacity(16 * 1024);
    loop {
        let (read, filled) = connection.read(buffer).await.into();
        if read? == 0 {
            return Ok(());
        }
        let (written, sent) = connection.write_all(filled).await.into();
        written?;
        buffer = sent;
        // A shorter message would leave the end of this one in it.
        buffer.clear();
    }
}
