//! The listener that all servers have.

use std::io;
use std::net::{SocketAddr, TcpListener};

use socket2::{Domain, Protocol, Socket, Type};

/// How many connections the kernel makes before the server accepts them.
const BACKLOG: i32 = 1024;

/// Listens on an address. With `reuseport` several listeners can: the kernel
/// deals the connections out to them, by a hash of both addresses and ports.
pub fn listen(address: SocketAddr, reuseport: bool) -> io::Result<TcpListener> {
    let domain = Domain::for_address(address);
    let socket = Socket::new(domain, Type::STREAM, Some(Protocol::TCP))?;
    // A server that is started anew need not wait until the old one's
    // connections are forgotten.
    socket.set_reuse_address(true)?;
    socket.set_reuse_port(reuseport)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}
