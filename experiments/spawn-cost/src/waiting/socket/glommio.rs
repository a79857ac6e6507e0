//! A task of Glommio's that sends a request on its connection, and awaits the
//! answer.

use std::io;
use std::os::fd::{FromRawFd, IntoRawFd};
use std::os::unix::net;

use futures_lite::{AsyncReadExt, AsyncWriteExt};
use glommio::net::UnixStream;
use glommio::spawn_local;

/// Makes a request on each connection, each in a task of its own, and adds up
/// the answers.
pub async fn request_on_each(
    connections: Vec<net::UnixStream>,
) -> io::Result<u64> {
    let tasks: Vec<_> = (0..)
        .zip(connections)
        .map(|(id, connection)| spawn_local(request(connection, id)))
        .collect();
    let mut sum = 0;
    for task in tasks {
        sum += task.await?;
    }
    Ok(sum)
}

async fn request(connection: net::UnixStream, id: u64) -> io::Result<u64> {
    // SAFETY: the socket is open, and nobody else owns it any more. Glommio takes
    // over a Unix socket in this way only.
    let mut connection =
        unsafe { UnixStream::from_raw_fd(connection.into_raw_fd()) };
    connection.write_all(&id.to_le_bytes()).await?;
    let mut answer = [0; 8];
    connection.read_exact(&mut answer).await?;
    Ok(u64::from_le_bytes(answer))
}
