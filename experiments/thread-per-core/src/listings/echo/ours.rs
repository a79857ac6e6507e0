//! An echo server with a task per connection on our own executor. One thread
//! accepts connections, and the executor's policy chooses a worker for each
//! connection.

use std::io;
use std::net::TcpListener;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use futures_lite::{AsyncReadExt, AsyncWriteExt};
use schedulers::{Executor, TcpStream};

/// Accepts connections, counts them in `accepted`, and echoes what each of
/// them sends.
pub fn serve(
    executor: &Executor,
    listener: &TcpListener,
    accepted: &AtomicU64,
) {
    loop {
        match listener.accept() {
            Ok((connection, _)) => {
                accepted.fetch_add(1, Ordering::Relaxed);
                // An error ends only this connection.
                drop(executor.spawn(echo(connection)));
            }
            // Most likely too many files are open. An immediate retry would
            // fail, too.
            Err(_) => thread::sleep(Duration::from_millis(50)),
        }
    }
}

async fn echo(connection: std::net::TcpStream) -> io::Result<()> {
    connection.set_nonblocking(true)?;
    connection.set_nodelay(true)?;
    let mut connection = TcpStream::from(connection);
    let mut buffer = vec![0; 16 * 1024];
    loop {
        let read = connection.read(&mut buffer).await?;
        if read == 0 {
            return Ok(());
        }
        connection.write_all(&buffer[..read]).await?;
    }
}
