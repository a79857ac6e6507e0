//! An echo server with a task for each connection on an executor of our own. One
//! thread accepts connections, and the executor's policy says which worker gets
//! them.

use std::io;
use std::net::TcpListener;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use futures_lite::{AsyncReadExt, AsyncWriteExt};
use schedulers::{Executor, TcpStream};

/// Echoes on each connection that comes, and counts them in `accepted`.
pub fn serve(
    executor: &Executor,
    listener: &TcpListener,
    accepted: &AtomicU64,
) {
    loop {
        match listener.accept() {
            Ok((connection, _)) => {
                accepted.fetch_add(1, Ordering::Relaxed);
                // Its error ends this connection, and no other.
                drop(executor.spawn(echo(connection)));
            }
            // Most likely there are too many open files. Trying again at once
            // would fail again at once.
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
