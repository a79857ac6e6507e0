//! A task of smol's that sends a request on its connection, and awaits the
//! answer.

use std::io;
use std::os::unix::net::UnixStream;

use smol::io::{AsyncReadExt, AsyncWriteExt};
use smol::Async;

/// Makes a request on each connection, each in a task of its own, and adds up
/// the answers.
pub async fn request_on_each(connections: Vec<UnixStream>) -> io::Result<u64> {
    let tasks: Vec<_> = (0..)
        .zip(connections)
        .map(|(id, connection)| smol::spawn(request(connection, id)))
        .collect();
    let mut sum = 0;
    for task in tasks {
        sum += task.await?;
    }
    Ok(sum)
}

async fn request(connection: UnixStream, id: u64) -> io::Result<u64> {
    let mut connection = Async::new(connection)?;
    connection.write_all(&id.to_le_bytes()).await?;
    let mut answer = [0; 8];
    connection.read_exact(&mut answer).await?;
    Ok(u64::from_le_bytes(answer))
}
