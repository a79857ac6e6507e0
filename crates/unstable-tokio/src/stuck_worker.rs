//! A server with two tasks, one of which blocks its worker. Used by `stuck-driver` in chapter
//! `blocking-tasks`.

use std::io;
use std::net::Ipv4Addr;
use std::thread;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{channel, Receiver, Sender};

/// How long the first task blocks its worker in each poll.
const HELD: Duration = Duration::from_millis(10);

/// Reports the server's address, and serves two connections until they are closed. The first task
/// blocks its worker for each byte that arrives. If `wakes` is set, the first task wakes the
/// other one before it blocks, and the other task waits for that instead of its own connection.
pub(crate) async fn serve(wakes: bool, report: fn(String)) -> io::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    report(format!("\"{}\"", listener.local_addr()?));
    let (with, _) = listener.accept().await?;
    let (connection, _) = listener.accept().await?;
    with.set_nodelay(true)?;
    connection.set_nodelay(true)?;
    let (other, woken) = wakes.then(|| channel(1)).unzip();
    let keeps = tokio::spawn(keeps(with, other));
    answers(connection, woken).await?;
    keeps.await?
}

async fn keeps(mut with: TcpStream, other: Option<Sender<()>>) -> io::Result<()> {
    while with.read(&mut [0]).await? > 0 {
        if let Some(other) = &other {
            // The channel is full only if the other task has ended, so a failure is ignored.
            let _ = other.try_send(());
        }
        thread::sleep(HELD);
        with.write_all(&[0]).await?;
    }
    Ok(())
}

/// Answers each byte that arrives or, if there is a channel, each wake-up.
async fn answers(mut connection: TcpStream, mut woken: Option<Receiver<()>>) -> io::Result<()> {
    loop {
        let asked = match &mut woken {
            Some(woken) => woken.recv().await.is_some(),
            None => connection.read(&mut [0]).await? > 0,
        };
        if !asked {
            return Ok(());
        }
        connection.write_all(&[0]).await?;
    }
}
