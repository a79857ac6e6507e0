//! A compio task that sends a request on its connection, and awaits the answer.
//! The kernel owns the buffers meanwhile, so they are given and returned.

use std::io;
use std::os::unix::net::UnixStream as Connection;

use compio::io::{AsyncReadExt, AsyncWriteExt};
use compio::net::UnixStream;

/// Makes a request on each connection, each in a task of its own, and adds up
/// the answers.
pub async fn request_on_each(connections: Vec<Connection>) -> io::Result<u64> {
    let tasks: Vec<_> = (0..)
        .zip(connections)
        .map(|(id, connection)| compio::runtime::spawn(request(connection, id)))
        .collect();
    let mut sum = 0;
    for task in tasks {
        sum += task.await.expect("the task does not panic")?;
    }
    Ok(sum)
}

async fn request(connection: Connection, id: u64) -> io::Result<u64> {
    let mut connection = UnixStream::from_std(connection)?;
    let (sent, buffer) = connection.write_all(id.to_le_bytes()).await.into();
    sent?;
    let (read, answer) = connection.read_exact(buffer).await.into();
    read?;
    Ok(u64::from_le_bytes(answer))
}
