//! An echo server on compio without buffers per connection. Once there is
//! something to read, the kernel takes a buffer that the ring provides, so a
//! waiting connection needs none.

use std::io;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use compio::io::{AsyncReadManaged, AsyncWriteExt};
use compio::net::{TcpListener, TcpStream};
use compio::time::sleep;

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

async fn echo(mut connection: TcpStream) -> io::Result<()> {
    connection.set_nodelay(true)?;
    // A length of 0 lets the kernel fill the whole provided buffer.
    while let Some(message) = connection.read_managed(0).await? {
        connection.write_all(message).await.0?;
    }
    Ok(())
}
