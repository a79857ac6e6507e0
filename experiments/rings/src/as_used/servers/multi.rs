//! An echo server on compio with one receive for each connection, which goes on until something ends it, and
//! buffers that the ring provides. A client that takes nothing fills all buffers, and is cut off: a server for strangers
//! would limit what one of them may hold.

use std::io;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use compio::io::{AsyncReadMulti, AsyncWriteExt};
use compio::net::{TcpListener, TcpStream};
use compio::time::sleep;
use futures_lite::StreamExt;

/// Echoes on each connection that comes, and counts them in `accepted`.
pub(super) async fn serve(listener: TcpListener, accepted: &AtomicU64) {
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

async fn echo(connection: TcpStream) -> io::Result<()> {
    connection.set_nodelay(true)?;
    let (mut reader, mut writer) = (&connection, &connection);
    // 0: as much as a buffer holds.
    let mut messages = pin!(reader.read_multi(0));
    while let Some(message) = messages.next().await {
        writer.write_all(message?).await.0?;
    }
    Ok(())
}
