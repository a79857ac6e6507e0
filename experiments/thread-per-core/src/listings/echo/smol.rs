//! An echo server with a smol task per connection. Several threads run the
//! executor.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use smol::io::{AsyncReadExt, AsyncWriteExt};
use smol::net::{TcpListener, TcpStream};
use smol::{future, Executor, Timer};

/// Runs the executor on `workers` threads, accepts connections, counts them
/// in `accepted`, and echoes what each of them sends.
pub fn run(workers: usize, listener: TcpListener, accepted: &AtomicU64) {
    let executor = Executor::new();
    thread::scope(|scope| {
        for _ in 1..workers {
            scope.spawn(|| {
                smol::block_on(executor.run(future::pending::<()>()));
            });
        }
        smol::block_on(executor.run(serve(&executor, listener, accepted)));
    });
}

async fn serve(
    executor: &Executor<'_>,
    listener: TcpListener,
    accepted: &AtomicU64,
) {
    loop {
        match listener.accept().await {
            Ok((connection, _)) => {
                accepted.fetch_add(1, Ordering::Relaxed);
                // An error ends only this connection.
                executor.spawn(echo(connection)).detach();
            }
            // Most likely too many files are open. An immediate retry would
            // fail, too.
            Err(_) => drop(Timer::after(Duration::from_millis(50)).await),
        }
    }
}

async fn echo(mut connection: TcpStream) -> io::Result<()> {
    connection.set_nodelay(true)?;
    let mut buffer = vec![0; 16 * 1024];
    loop {
        let read = connection.read(&mut buffer).await?;
        if read == 0 {
            return Ok(());
        }
        connection.write_all(&buffer[..read]).await?;
    }
}
