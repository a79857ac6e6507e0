//! A minimal HTTP server with a compio task for each connection. The kernel owns a
//! buffer while it reads or writes, so buffers are given away and come back.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use compio::io::{AsyncReadExt, AsyncWriteExt};
use compio::net::{TcpListener, TcpStream};
use compio::time::sleep;

/// Makes the answers to what was received, and says how much of it they are to;
/// nothing if the connection is to be closed.
type Answer = fn(&[u8], &mut Vec<u8>) -> Option<usize>;

/// Answers on each connection that comes, and counts them in `accepted`.
pub async fn serve(
    listener: TcpListener,
    accepted: &AtomicU64,
    answer: Answer,
) {
    loop {
        match listener.accept().await {
            Ok((connection, _)) => {
                accepted.fetch_add(1, Ordering::Relaxed);
                // Its error ends this connection, and no other.
                compio::runtime::spawn(converse(connection, answer)).detach();
            }
            // Most likely there are too many open files. Trying again at once
            // would fail again at once.
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
        // An incomplete request stays.
        received.drain(..taken);
    }
}
