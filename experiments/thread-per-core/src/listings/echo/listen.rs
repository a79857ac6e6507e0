//! Creates the listening sockets of all servers.

use std::io;
use std::net::{SocketAddr, TcpListener};

use socket2::{Domain, Protocol, Socket, Type};

/// The maximum number of connections that the kernel establishes before the
/// server accepts them.
const BACKLOG: i32 = 1024;

/// Creates a socket that listens on `address`. With `reuseport`, several
/// sockets can share the address, and the kernel distributes the connections
/// by a hash of both addresses and ports.
pub fn listen(address: SocketAddr, reuseport: bool) -> io::Result<TcpListener> {
    let domain = Domain::for_address(address);
    let socket = Socket::new(domain, Type::STREAM, Some(Protocol::TCP))?;
    // Lets a restarted server listen at once, while the kernel still keeps
    // the old server's connections.
    socket.set_reuse_address(true)?;
    socket.set_reuse_port(reuseport)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}
