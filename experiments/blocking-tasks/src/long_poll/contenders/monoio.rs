//! Monoio, with one thread on io_uring.

use std::net::TcpStream as StdTcpStream;
use std::time::{Duration, Instant};

use monoio::io::{AsyncReadRent, AsyncWriteRentExt};
use monoio::net::TcpStream;
use monoio::time::sleep;
use runtimes::monoio::IO_URING;

use crate::connection::MESSAGE;
use crate::long_poll::job::Job;
use crate::long_poll::tasks::{tick, work, Tasks};

pub(crate) fn plain(tasks: Tasks) -> Result<(), String> {
    IO_URING.start()?;
    IO_URING.run(Box::new(|| Box::pin(all(tasks))));
    Ok(())
}

async fn all(tasks: Tasks) {
    let Tasks { units, ticker, connection } = tasks;
    let ticker = tick(ticker, |due| {
        sleep(due.saturating_duration_since(Instant::now()))
    });
    let mut tasks =
        vec![monoio::spawn(echo(connection)), monoio::spawn(ticker)];
    // Yields by a sleep of zero. A task that merely woke itself would stay
    // ready, and Monoio doesn't check timers while a task is ready.
    let give_way = || sleep(Duration::ZERO);
    let done = |job: Job| async move { job.run() };
    let unit = |unit| monoio::spawn(work(unit, done, give_way));
    tasks.extend(units.into_iter().map(unit));
    for task in tasks {
        task.await;
    }
}

/// Sends each message back. Ignores an error: the load generator then reports
/// a missing answer.
async fn echo(connection: StdTcpStream) {
    let connection = TcpStream::from_std(connection);
    let mut connection = connection.expect("it is a socket");
    // Any read has to wait until all other tasks have been polled, so each
    // read takes everything available.
    let mut buffer = Vec::with_capacity(1024 * MESSAGE);
    loop {
        let (read, filled) = connection.read(buffer).await;
        if !read.is_ok_and(|bytes| bytes > 0) {
            return;
        }
        let (written, sent) = connection.write_all(filled).await;
        if written.is_err() {
            return;
        }
        buffer = sent;
    }
}
