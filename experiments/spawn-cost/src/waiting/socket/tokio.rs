//! A Tokio task that sends a request on its connection, and awaits the answer.

use std::io;
use std::os::unix::net::UnixStream as Connection;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

/// Makes a request on each connection, each in a task of its own, and adds up
/// the answers.
pub async fn request_on_each(connections: Vec<Connection>) -> io::Result<u64> {
    let tasks: Vec<_> = (0..)
        .zip(connections)
        .map(|(id, connection)| tokio::spawn(request(connection, id)))
        .collect();
    let mut sum = 0;
    for task in tasks {
        sum += task.await??;
    }
    Ok(sum)
}

async fn request(connection: Connection, id: u64) -> io::Result<u64> {
    connection.set_nonblocking(true)?;
    let mut connection = UnixStream::from_std(connection)?;
    connection.write_all(&id.to_le_bytes()).await?;
    let mut answer = [0; 8];
    connection.read_exact(&mut answer).await?;
    Ok(u64::from_le_bytes(answer))
}
