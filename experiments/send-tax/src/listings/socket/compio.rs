//! A compio task per connection. The kernel owns the buffers while it reads and
//! writes, so they are passed in and returned. compio doesn't read lines, so
//! the task splits them.

use std::io;

use compio::io::{AsyncReadExt, AsyncWriteExt};
use compio::net::TcpStream;

/// Reads requests, one per line, and sends the answer to each, until one is
/// `quit`.
pub async fn serve(
    mut connection: TcpStream,
    mut answer: impl FnMut(&str) -> String,
) -> io::Result<()> {
    let mut received = Vec::with_capacity(1024);
    loop {
        while let Some(end) = received.iter().position(|&b| b == b'\n') {
            let request = String::from_utf8_lossy(&received[..=end]);
            if request == "quit\n" {
                return Ok(());
            }
            let reply = answer(&request);
            received.drain(..=end);
            connection.write_all(reply).await.0?;
        }
        received.reserve(1);
        let (read, buffer) = connection.append(received).await.into();
        received = buffer;
        if read? == 0 {
            return Ok(());
        }
    }
}
