//! A minimal HTTP server with a task for each connection on an executor of our
//! own. One thread accepts connections, and the executor's policy says which
//! worker gets them.

use std::io;
use std::net::TcpListener;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use futures_lite::{AsyncReadExt, AsyncWriteExt};
use schedulers::{Executor, TcpStream};

/// Makes the answers to what was received, and says how much of it they are to;
/// nothing if the connection is to be closed.
type Answer = fn(&[u8], &mut Vec<u8>) -> Option<usize>;

/// Answers on each connection that comes, and counts them in `accepted`.
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
                // Its error ends this connection, and no other.
                drop(executor.spawn(converse(connection, answer)));
            }
            // Most likely there are too many open files. Trying again at once
            // would fail again at once.
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
        // An incomplete request stays, at the front.
        received.copy_within(taken..filled, 0);
        filled -= taken;
    }
}
