//! An echo server with a Glommio task per connection.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_lite::{AsyncReadExt, AsyncWriteExt};
use glommio::net::{TcpListener, TcpStream};
use glommio::timer::sleep;

/// Accepts connections, counts them in `accepted`, and echoes what each of
/// them sends.
pub async fn serve(listener: TcpListener, accepted: &AtomicU64) {
    loop {
        match listener.accept().await {
            Ok(connection) => {
                accepted.fetch_add(1, Ordering::Relaxed);
                // An error ends only this connection.
                glommio::spawn_local(echo(connection)).detach();
            }
            // Most likely too many files are open. An immediate retry would
            // fail, too.
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
