//! A connection served by its own task.

use std::io::{self, ErrorKind};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The size of the buffer for a read, in bytes.
pub const BUFFER: usize = 16 << 10;

/// Echoes until the client has closed the connection, and returns the number
/// of bytes echoed. The buffer is part of the task.
pub async fn with_buffer_held(mut stream: TcpStream) -> io::Result<u64> {
    let mut buffer = [0; BUFFER];
    let mut echoed = 0;
    loop {
        match stream.read(&mut buffer).await? {
            0 => return Ok(echoed),
            read => {
                stream.write_all(&buffer[..read]).await?;
                echoed += read as u64;
            }
        }
    }
}

/// Echoes until the client has closed the connection, and returns the number
/// of bytes echoed. The buffer exists only while there is something to read.
pub async fn with_buffer_while_reading(
    mut stream: TcpStream,
) -> io::Result<u64> {
    let mut echoed = 0;
    loop {
        stream.readable().await?;
        let mut buffer = vec![0; BUFFER];
        match stream.try_read(&mut buffer) {
            Ok(0) => return Ok(echoed),
            Ok(read) => {
                stream.write_all(&buffer[..read]).await?;
                echoed += read as u64;
            }
            // Reading would block, so the socket was not readable after all.
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
}
