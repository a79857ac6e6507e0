//! Two tasks with a connection each, one of which keeps its worker: what `stuck-driver` of chapter `blocking-tasks`
//! serves.

use std::io;
use std::net::Ipv4Addr;
use std::thread;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{channel, Receiver, Sender};

/// For how long the poll keeps its worker.
const HELD: Duration = Duration::from_millis(10);

/// Reports where it listens, and serves two connections until they are closed. The first one's task keeps its worker
/// with each byte that comes; before, it wakes the other one's task, if that is not to wait for its own connection.
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
            // It is full only if the other has ended.
            let _ = other.try_send(());
        }
        thread::sleep(HELD);
        with.write_all(&[0]).await?;
    }
    Ok(())
}

/// Answers a byte, or whoever wakes it.
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
