//! TCP connections between the load generator and the measured tasks, and the
//! functions that the tasks call on them.

use std::future::Future;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::time::Duration;

use futures_lite::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// How long to wait for an answer before the measurement fails. A runtime
/// that checks its sockets only after every 61 polls can take seconds to
/// answer on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// The length of an echo message, in bytes.
pub(crate) const MESSAGE: usize = size_of::<u64>();

/// Creates a connection. Returns the load generator's end, and a non-blocking
/// end for the tasks under test.
pub(crate) fn connect() -> Result<(TcpStream, TcpStream), String> {
    let connect = || {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let client = TcpStream::connect(listener.local_addr()?)?;
        let (connection, _) = listener.accept()?;
        client.set_nodelay(true)?;
        client.set_read_timeout(Some(PATIENCE))?;
        connection.set_nodelay(true)?;
        connection.set_nonblocking(true)?;
        Ok((client, connection))
    };
    connect().map_err(|error: std::io::Error| format!("a connection: {error}"))
}

/// A task's end of a connection. Each message is as long as the buffer that
/// receives it.
pub(crate) trait Messages {
    /// Fills the buffer. Returns false if there are no more messages.
    fn receive(&mut self, message: &mut [u8]) -> impl Future<Output = bool>;

    /// Reads the available bytes, and returns their number, or 0 at the end
    /// of the stream.
    fn receive_some(&mut self, into: &mut [u8]) -> impl Future<Output = usize>;

    /// Returns false if the other end has been closed.
    fn send(&mut self, message: &[u8]) -> impl Future<Output = bool>;
}

impl Messages for tokio::net::TcpStream {
    async fn receive(&mut self, message: &mut [u8]) -> bool {
        self.read_exact(message).await.is_ok()
    }

    async fn receive_some(&mut self, into: &mut [u8]) -> usize {
        self.read(into).await.unwrap_or(0)
    }

    async fn send(&mut self, message: &[u8]) -> bool {
        self.write_all(message).await.is_ok()
    }
}

/// Wraps a connection of a runtime that implements the I/O traits of
/// `futures`.
pub(crate) struct OfFutures<Connection>(pub(crate) Connection);

impl<Connection> Messages for OfFutures<Connection>
where
    Connection: AsyncRead + AsyncWrite + Unpin,
{
    async fn receive(&mut self, message: &mut [u8]) -> bool {
        self.0.read_exact(message).await.is_ok()
    }

    async fn receive_some(&mut self, into: &mut [u8]) -> usize {
        self.0.read(into).await.unwrap_or(0)
    }

    async fn send(&mut self, message: &[u8]) -> bool {
        self.0.write_all(message).await.is_ok()
    }
}

/// Sends each message back until the connection ends. Ignores an error: the
/// load generator then reports a missing answer.
pub(crate) async fn echo(mut connection: impl Messages) {
    let mut message = [0; MESSAGE];
    while connection.receive(&mut message).await
        && connection.send(&message).await
    {}
}
