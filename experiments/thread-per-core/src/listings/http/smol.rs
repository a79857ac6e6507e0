//! A minimal HTTP server with a smol task per connection. Several threads run
//! the executor.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use smol::io::{AsyncReadExt, AsyncWriteExt};
use smol::net::{TcpListener, TcpStream};
use smol::{future, Executor, Timer};

/// A function that answers the requests in the received bytes. It appends the
/// answers to a buffer and returns how many bytes the requests took, or
/// `None` to close the connection.
type Answer = fn(&[u8], &mut Vec<u8>) -> Option<usize>;

/// Runs the executor on `workers` threads, accepts connections, counts them in
/// `accepted`, and answers requests on each.
pub fn run(
    workers: usize,
    listener: TcpListener,
    accepted: &AtomicU64,
    answer: Answer,
) {
    let executor = Executor::new();
    thread::scope(|scope| {
        for _ in 1..workers {
            scope.spawn(|| {
                smol::block_on(executor.run(future::pending::<()>()));
            });
        }
        let serving = serve(&executor, listener, accepted, answer);
        smol::block_on(executor.run(serving));
    });
}

async fn serve(
    executor: &Executor<'_>,
    listener: TcpListener,
    accepted: &AtomicU64,
    answer: Answer,
) {
    loop {
        match listener.accept().await {
            Ok((connection, _)) => {
                accepted.fetch_add(1, Ordering::Relaxed);
                // An error ends only this connection.
                executor.spawn(converse(connection, answer)).detach();
            }
            // Most likely too many files are open. An immediate retry would
            // fail, too.
            Err(_) => drop(Timer::after(Duration::from_millis(50)).await),
        }
    }
}

async fn converse(mut connection: TcpStream, answer: Answer) -> io::Result<()> {
    connection.set_nodelay(true)?;
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
