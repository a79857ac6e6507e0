//! A minimal HTTP server with a task per connection on our own executor. One
//! thread accepts connections, and the executor's policy chooses a worker for
//! each connection.

use std::io;
use std::net::TcpListener;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use futures_lite::{AsyncReadExt, AsyncWriteExt};
use schedulers::{Executor, TcpStream};

/// A function that answers the requests in the received bytes. It appends the
/// answers to a buffer and returns how many bytes the requests took, or
/// `None` to close the connection.
type Answer = fn(&[u8], &mut Vec<u8>) -> Option<usize>;

/// Accepts connections, counts them in `accepted`, and answers requests on
/// each.
pub fn serve(
    executor: &Executor,
    listener: &TcpListener,
    accepted: &AtomicU64,
    answer: Answer,
) {
    loop {
        match listener.accept() {
            Ok((connection, _)) => {
                accepted.fetch_add(1, Ordering::Relaxed);
                // An error ends only this connection.
                drop(executor.spawn(converse(connection, answer)));
            }
            // Most likely too many files are open. An immediate retry would
            // fail, too.
            Err(_) => thread::sleep(Duration::from_millis(50)),
        }
    }
}

async fn converse(
    connection: std::net::TcpStream,
    answer: Answer,
) -> io::Result<()> {
    connection.set_nonblocking(true)?;
    connection.set_nodelay(true)?;
    let mut connection = TcpStream::from(connection);
    let mut received = vec![0; 16 * 1024];
    let mut filled = 0;
    let mut answers = Vec::with_capacity(1024);
    loop {
        let read = connection.read(&mut received[filled..]).await?;
        if read == 0 {
            return Ok(());
        }
        filled += read;
        let taken = answer(&received[..filled], &mut answers);
        connection.write_all(&answers).await?;
        answers.clear();
        let Some(taken) = taken else { return Ok(()) };
        // An incomplete request moves to the front of the buffer.
        received.copy_within(taken..filled, 0);
        filled -= taken;
    }
}
