//! A Monoio task per connection. The kernel owns the reply while it is written,
//! so the reply is passed by value.

use std::io;

use monoio::io::{AsyncBufReadExt, AsyncWriteRentExt, BufReader};
use monoio::net::TcpStream;

/// Reads requests, one per line, and sends the answer to each, until one is
/// `quit`.
pub async fn serve(
    connection: TcpStream,
    mut answer: impl FnMut(&str) -> String,
) -> io::Result<()> {
    let mut connection = BufReader::new(connection);
    let mut request = String::new();
    while connection.read_line(&mut request).await? > 0 && request != "quit\n" {
        let reply = answer(&request).into_bytes();
        connection.write_all(reply).await.0?;
        request.clear();
    }
    Ok(())
}
