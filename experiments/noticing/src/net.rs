//! TCP for tasks. A socket can be created on any thread, and is awaited in a
//! task.

use std::future::poll_fn;
use std::io::{self, Error, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr};
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_lite::{AsyncRead, AsyncWrite};

use crate::socket::Socket;
use crate::sockets::{READ, WRITE};

/// A TCP socket that accepts connections.
pub struct TcpListener(Socket<mio::net::TcpListener>);

/// A TCP connection, read and written by the methods of
/// [`futures_lite::AsyncReadExt`] and [`futures_lite::AsyncWriteExt`].
pub struct TcpStream(Socket<mio::net::TcpStream>);

/// True if a read or write that is shorter than its buffer means that the
/// next one would block. Only Unix guarantees this.
const SHORT_MEANS_BLOCKED: bool = cfg!(unix);

impl TcpListener {
    /// Listens on an address. Port 0 lets the system choose a free port.
    ///
    /// # Errors
    ///
    /// Errors of the system: for example, the address is in use, or isn't
    /// this computer's.
    pub fn bind(address: SocketAddr) -> io::Result<Self> {
        let listener = mio::net::TcpListener::bind(address)?;
        Ok(TcpListener(Socket::new(listener)))
    }

    /// Waits for a client, and returns the connection with the client's
    /// address.
    ///
    /// # Errors
    ///
    /// Errors of the system, such as too many open files; or if the calling
    /// thread belongs to no executor.
    pub async fn accept(&mut self) -> io::Result<(TcpStream, SocketAddr)> {
        let accept = |listener: &mio::net::TcpListener| listener.accept();
        let (stream, peer) =
            poll_fn(|cx| self.0.poll(READ, cx, accept, |_| false)).await?;
        Ok((TcpStream(Socket::new(stream)), peer))
    }

    /// Returns the local address of this listener.
    ///
    /// # Errors
    ///
    /// Errors of the system.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.inner.local_addr()
    }
}

impl From<std::net::TcpListener> for TcpListener {
    /// Wraps a listener, which has to be in nonblocking mode.
    fn from(listener: std::net::TcpListener) -> Self {
        TcpListener(Socket::new(mio::net::TcpListener::from_std(listener)))
    }
}

impl TcpStream {
    /// Connects to an address.
    ///
    /// # Errors
    ///
    /// Errors of the system, such as a refused connection; or if the calling
    /// thread belongs to no executor.
    pub async fn connect(address: SocketAddr) -> io::Result<Self> {
        let mut socket = Socket::new(mio::net::TcpStream::connect(address)?);
        poll_fn(|cx| socket.poll(WRITE, cx, connected, |()| false)).await?;
        Ok(TcpStream(socket))
    }

    /// Sets whether small messages are sent immediately (`TCP_NODELAY`).
    ///
    /// # Errors
    ///
    /// Errors of the system.
    pub fn set_nodelay(&self, nodelay: bool) -> io::Result<()> {
        self.0.inner.set_nodelay(nodelay)
    }
}

/// Checks that a connection is established. Until then, returns an error of
/// the kind `WouldBlock`.
fn connected(stream: &mio::net::TcpStream) -> io::Result<()> {
    if let Some(error) = stream.take_error()? {
        return Err(error);
    }
    match stream.peer_addr() {
        Err(error) if error.kind() == ErrorKind::NotConnected => {
            Err(Error::from(ErrorKind::WouldBlock))
        }
        peer => peer.map(drop),
    }
}

impl From<std::net::TcpStream> for TcpStream {
    /// Wraps a connection, which has to be in nonblocking mode.
    fn from(stream: std::net::TcpStream) -> Self {
        TcpStream(Socket::new(mio::net::TcpStream::from_std(stream)))
    }
}

impl AsyncRead for TcpStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut [u8],
    ) -> Poll<io::Result<usize>> {
        let room = buffer.len();
        let read = |mut stream: &mio::net::TcpStream| stream.read(buffer);
        let emptied = |n: &usize| SHORT_MEANS_BLOCKED && (1..room).contains(n);
        self.0.poll(READ, cx, read, emptied)
    }
}

impl AsyncWrite for TcpStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &[u8],
    ) -> Poll<io::Result<usize>> {
        let write = |mut stream: &mio::net::TcpStream| stream.write(buffer);
        let filled = |n: &usize| SHORT_MEANS_BLOCKED && *n < buffer.len();
        self.0.poll(WRITE, cx, write, filled)
    }

    /// Flushing does nothing, because only the kernel buffers data.
    fn poll_flush(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_close(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        Poll::Ready(self.0.inner.shutdown(Shutdown::Write))
    }
}
