//! An echo server whose tasks only echo and count nothing: the server of `nobody-blocks` in
//! chapter `blocking-tasks`.

use std::io;
use std::net::Ipv4Addr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Reports the server's address, accepts connections and echoes on each.
pub(crate) async fn serve(report: fn(String)) -> io::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    report(format!("\"{}\"", listener.local_addr()?));
    loop {
        let (connection, _) = listener.accept().await?;
        // An error ends only this connection, so it is ignored.
        tokio::spawn(echo(connection));
    }
}

async fn echo(mut connection: TcpStream) -> io::Result<()> {
    connection.set_nodelay(true)?;
    let mut buffer = vec![0; 16 * 1024];
    loop {
        let read = connection.read(&mut buffer).await?;
        if read == 0 {
            return Ok(());
        }
        connection.write_all(&buffer[..read]).await?;
    }
}
