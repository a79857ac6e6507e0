//! An echo server with a Monoio task per connection, on epoll or io_uring,
//! depending on how the runtime was built. The kernel owns the buffer while it
//! reads and writes, so the buffer is passed in and returned.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use monoio::io::{AsyncReadRent, AsyncWriteRentExt};
use monoio::net::{TcpListener, TcpStream};
use monoio::time::sleep;

/// Accepts connections, counts them in `accepted`, and echoes what each of
/// them sends.
pub async fn serve(listener: TcpListener, accepted: &AtomicU64) {
    loop {
        match listener.accept().await {
            Ok((connection, _)) => {
                accepted.fetch_add(1, Ordering::Relaxed);
                // An error ends only this connection.
                monoio::spawn(echo(connection));
            }
            // Most likely too many files are open. An immediate retry would
            // fail, too.
            Err(_) => sleep(Duration::from_millis(50)).await,
        }
    }
}

async fn echo(mut connection: TcpStream) -> io::Result<()> {
    connection.set_nodelay(true)?;
    let mut buffer = Vec::with_capacity(16 * 1024);
    loop {
        let (read, filled) = connection.read(buffer).await;
        if read? == 0 {
            return Ok(());
        }
        let (written, sent) = connection.write_all(filled).await;
        written?;
        buffer = sent;
    }
}
