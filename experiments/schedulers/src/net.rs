//! Sockets for tasks. A socket can be created on any thread, and is awaited
//! in a task.

use std::future::poll_fn;
use std::io::{self, Error, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr};
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_lite::{AsyncRead, AsyncWrite};
use mio::event::Source;

use crate::reactor::{Direction, Socket};

/// A TCP socket that accepts connections.
pub struct TcpListener(Socket<mio::net::TcpListener>);

/// A TCP connection.
pub type TcpStream = Stream<mio::net::TcpStream>;

/// A connection over a Unix socket.
#[cfg(unix)]
pub type UnixStream = Stream<mio::net::UnixStream>;

/// A connection, read and written by the methods of
/// [`futures_lite::AsyncReadExt`] and [`futures_lite::AsyncWriteExt`].
pub struct Stream<S: Connection>(Socket<S>);

/// True if a read or write that is shorter than its buffer means that the
/// next one would block. Only Unix guarantees this.
const SHORT_MEANS_BLOCKED: bool = cfg!(unix);

impl TcpListener {
    /// Listens on an address. Port 0 lets the system choose a free port.
    ///
    /// # Errors
    ///
    /// The system's errors: for example, the address is in use, or isn't this
    /// computer's.
    pub fn bind(address: SocketAddr) -> io::Result<Self> {
        let listener = mio::net::TcpListener::bind(address)?;
        Ok(TcpListener(Socket::new(listener)))
    }

    /// Waits for a client, and returns the connection with the client's
    /// address.
    ///
    /// # Errors
    ///
    /// The system's errors, such as too many open files; or an error if the
    /// calling thread is no worker.
    pub async fn accept(&mut self) -> io::Result<(TcpStream, SocketAddr)> {
        let accept = |listener: &mio::net::TcpListener| listener.accept();
        let (stream, peer) =
            poll_fn(|cx| self.0.poll(Direction::Read, cx, accept, |_| false))
                .await?;
        Ok((Stream(Socket::new(stream)), peer))
    }

    /// Returns the local address of this listener.
    ///
    /// # Errors
    ///
    /// The system's errors.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.get().local_addr()
    }
}

impl From<std::net::TcpListener> for TcpListener {
    /// Wraps a listener, which must be in nonblocking mode.
    fn from(listener: std::net::TcpListener) -> Self {
        TcpListener(Socket::new(mio::net::TcpListener::from_std(listener)))
    }
}

impl TcpStream {
    /// Connects to an address.
    ///
    /// # Errors
    ///
    /// The system's errors, such as a refused connection; or an error if the
    /// calling thread is no worker.
    pub async fn connect(address: SocketAddr) -> io::Result<Self> {
        let mut socket = Socket::new(mio::net::TcpStream::connect(address)?);
        poll_fn(|cx| socket.poll(Direction::Write, cx, connected, |()| false))
            .await?;
        Ok(Stream(socket))
    }

    /// Sets whether small messages are sent immediately (`TCP_NODELAY`).
    ///
    /// # Errors
    ///
    /// The system's errors.
    pub fn set_nodelay(&self, nodelay: bool) -> io::Result<()> {
        self.0.get().set_nodelay(nodelay)
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
    /// Wraps a connection, which must be in nonblocking mode.
    fn from(stream: std::net::TcpStream) -> Self {
        Stream(Socket::new(mio::net::TcpStream::from_std(stream)))
    }
}

#[cfg(unix)]
impl UnixStream {
    /// Creates a pair of connected sockets.
    ///
    /// # Errors
    ///
    /// The system's errors, such as too many open files.
    pub fn pair() -> io::Result<(Self, Self)> {
        let (one, other) = mio::net::UnixStream::pair()?;
        Ok((Stream(Socket::new(one)), Stream(Socket::new(other))))
    }
}

/// A connected mio socket, rather than a listener.
pub trait Connection: Source + Unpin {
    /// Tells the other end that nothing more will be sent.
    ///
    /// # Errors
    ///
    /// The system's errors.
    fn shut_down_writing(&self) -> io::Result<()>;
}

impl Connection for mio::net::TcpStream {
    fn shut_down_writing(&self) -> io::Result<()> {
        self.shutdown(Shutdown::Write)
    }
}

#[cfg(unix)]
impl Connection for mio::net::UnixStream {
    fn shut_down_writing(&self) -> io::Result<()> {
        self.shutdown(Shutdown::Write)
    }
}

impl<S> AsyncRead for Stream<S>
where
    S: Connection,
    for<'a> &'a S: Read,
{
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut [u8],
    ) -> Poll<io::Result<usize>> {
        let room = buffer.len();
        let read = |mut socket: &S| socket.read(buffer);
        let emptied = |n: &usize| SHORT_MEANS_BLOCKED && (1..room).contains(n);
        self.0.poll(Direction::Read, cx, read, emptied)
    }
}

impl<S> AsyncWrite for Stream<S>
where
    S: Connection,
    for<'a> &'a S: Write,
{
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &[u8],
    ) -> Poll<io::Result<usize>> {
        let write = |mut socket: &S| socket.write(buffer);
        let filled = |n: &usize| SHORT_MEANS_BLOCKED && *n < buffer.len();
        self.0.poll(Direction::Write, cx, write, filled)
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
        Poll::Ready(self.0.get().shut_down_writing())
    }
}
