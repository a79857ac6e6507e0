//! A Glommio task per connection. It reads and writes with the traits of the
//! futures crates, which smol exports.

use std::io;

use glommio::net::TcpStream;
use smol::io::{AsyncBufReadExt, AsyncWriteExt};

/// Reads requests, one per line, and sends the answer to each, until one is
/// `quit`.
pub async fn serve(
    connection: TcpStream,
    mut answer: impl FnMut(&str) -> String,
) -> io::Result<()> {
    let mut connection = connection.buffered();
    let mut request = String::new();
    while connection.read_line(&mut request).await? > 0 && request != "quit\n" {
        let reply = answer(&request);
        connection.write_all(reply.as_bytes()).await?;
        request.clear();
    }
    Ok(())
}
