//! An echo server on compio with one receive per connection, which continues
//! until something ends it, and with buffers that the ring provides. A client
//! that doesn't read fills all buffers, and is cut off: a public server would
//! have to limit the buffers per client.

use std::io;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use compio::io::{AsyncReadMulti, AsyncWriteExt};
use compio::net::{TcpListener, TcpStream};
use compio::time::sleep;
use futures_lite::StreamExt;

/// Accepts connections, counts them in `accepted`, and echoes what each of
/// them sends.
pub(super) async fn serve(listener: TcpListener, accepted: &AtomicU64) {
    loop {
        match listener.accept().await {
            Ok((connection, _)) => {
                accepted.fetch_add(1, Ordering::Relaxed);
                // If echoing fails, only this connection ends.
                compio::runtime::spawn(echo(connection)).detach();
            }
            // Most likely too many files are open. An immediate retry would
            // fail, too.
            Err(_) => sleep(Duration::from_millis(50)).await,
        }
    }
}

async fn echo(connection: TcpStream) -> io::Result<()> {
    connection.set_nodelay(true)?;
    let (mut reader, mut writer) = (&connection, &connection);
    // A length of 0 lets the kernel fill the whole provided buffer.
    let mut messages = pin!(reader.read_multi(0));
    while let Some(message) = messages.next().await {
        writer.write_all(message?).await.0?;
    }
    Ok(())
}
