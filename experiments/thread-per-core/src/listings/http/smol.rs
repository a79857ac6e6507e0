//! A minimal HTTP server with a smol task for each connection, and an executor
//! that several threads run.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use smol::io::{AsyncReadExt, AsyncWriteExt};
use smol::net::{TcpListener, TcpStream};
use smol::{future, Executor, Timer};

/// Makes the answers to what was received, and says how much of it they are to;
/// nothing if the connection is to be closed.
type Answer = fn(&[u8], &mut Vec<u8>) -> Option<usize>;

/// Answers on each connection that comes, with so many threads, and counts the
/// connections in `accepted`.
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
                // Its error ends this connection, and no other.
                executor.spawn(converse(connection, answer)).detach();
            }
            // Most likely there are too many open files. Trying again at once
            // would fail again at once.
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
        // An incomplete request stays, at the front.
        received.copy_within(taken..filled, 0);
        filled -= taken;
    }
}
