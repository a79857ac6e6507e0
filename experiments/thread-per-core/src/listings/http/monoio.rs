//! A minimal HTTP server with a Monoio task for each connection, on epoll or
//! io_uring, as the runtime was built. The kernel owns a buffer while it reads or
//! writes, so buffers are given away and come back.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use monoio::buf::IoBufMut;
use monoio::io::{AsyncReadRent, AsyncWriteRentExt};
use monoio::net::{TcpListener, TcpStream};
use monoio::time::sleep;

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
                monoio::spawn(converse(connection, answer));
            }
            // Most likely there are too many open files. Trying again at once
            // would fail again at once.
            Err(_) => sleep(Duration::from_millis(50)).await,
        }
    }
}

async fn converse(mut connection: TcpStream, answer: Answer) -> io::Result<()> {
    connection.set_nodelay(true)?;
    let mut received: Vec<u8> = Vec::with_capacity(16 * 1024);
    let mut answers = Vec::with_capacity(1024);
    loop {
        let end = received.len();
        let (read, filled) = connection.read(received.slice_mut(end..)).await;
        if read? == 0 {
            return Ok(());
        }
        received = filled.into_inner();
        let taken = answer(&received, &mut answers);
        let (written, sent) = connection.write_all(answers).await;
        written?;
        answers = sent;
        answers.clear();
        let Some(taken) = taken else { return Ok(()) };
        // An incomplete request stays.
        received.drain(..taken);
    }
}
