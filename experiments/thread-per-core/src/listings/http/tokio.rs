//! A minimal HTTP server with a Tokio task per connection.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;

/// A function that answers the requests in the received bytes. It appends the
/// answers to a buffer and returns how many bytes the requests took, or
/// `None` to close the connection.
type Answer = fn(&[u8], &mut Vec<u8>) -> Option<usize>;

/// Accepts connections, counts them in `accepted`, and answers requests on
/// each. Runs on either flavour of the runtime.
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
                tokio::spawn(converse(connection, answer));
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
    while connection.read_buf(&mut received).await? > 0 {
        let taken = answer(&received, &mut answers);
        connection.write_all(&answers).await?;
        answers.clear();
        let Some(taken) = taken else { break };
        // An incomplete request stays in the buffer.
        received.drain(..taken);
    }
    Ok(())
}
