//! A Tokio task per connection.

use std::io;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

/// Reads requests, one per line, and sends the answer to each, until one is
/// `quit`.
pub async fn serve(
    connection: TcpStream,
    mut answer: impl FnMut(&str) -> String,
) -> io::Result<()> {
    let mut connection = BufReader::new(connection);
    let mut request = String::new();
    while connection.read_line(&mut request).await? > 0 && request != "quit\n" {
        let reply = answer(&request);
        connection.write_all(reply.as_bytes()).await?;
        request.clear();
    }
    Ok(())
}
