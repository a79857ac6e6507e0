//! A minimal HTTP server with a compio task per connection. The kernel owns a
//! buffer while it reads or writes, so buffers are passed in and returned.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use compio::io::{AsyncReadExt, AsyncWriteExt};
use compio::net::{TcpListener, TcpStream};
use compio::time::sleep;

/// A function that answers the requests in the received bytes. It appends the
/// answers to a buffer and returns how many bytes the requests took, or
/// `None` to close the connection.
type Answer = fn(&[u8], &mut Vec<u8>) -> Option<usize>;

/// Accepts connections, counts them in `accepted`, and answers requests on
/// each.
pub async fn serve(
    listener: TcpListener,
    accepted: &AtomicU64,
    answer: Answer,
) {
    loop {
        match listener.accept().await {
            Ok((connection, _)) => {
                accepted.fetch_add(1, Ordering::Relaxed);
                // An error ends only this connection.
                compio::runtime::spawn(converse(connection, answer)).detach();
            }
            // Most likely too many files are open. An immediate retry would
            // fail, too.
            Err(_) => sleep(Duration::from_millis(50)).await,
        }
    }
}

async fn converse(mut connection: TcpStream, answer: Answer) -> io::Result<()> {
    connection.set_nodelay(true)?;
    let mut received = Vec::with_capacity(16 * 1024);
    let mut answers = Vec::with_capacity(1024);
    loop {
        let (read, filled) = connection.append(received).await.into();
        if read? == 0 {
            return Ok(());
        }
        received = filled;
        let taken = answer(&received, &mut answers);
        let (written, sent) = connection.write_all(answers).await.into();
        written?;
        answers = sent;
        answers.clear();
        let Some(taken) = taken else { return Ok(()) };
        // An incomplete request stays in the buffer.
        received.drain(..taken);
    }
}
