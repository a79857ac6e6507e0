//! The listening sockets on which servers accept connections.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::mpsc;
use std::thread;

use socket2::{Domain, Protocol, Socket, Type};

/// The number of connections that the kernel may establish before the server
/// accepts them.
const BACKLOG: i32 = 1024;

/// The sender of a signal that a listener is ready.
#[derive(Clone)]
pub(crate) struct Ready(pub(crate) mpsc::Sender<()>);

impl Ready {
    /// Reports that the listener is ready.
    pub(crate) fn say(&self) {
        // An error means that nobody waits for the signal any more, because
        // another listener could not be created.
        let _ = self.0.send(());
    }
}

/// Calls `serve` on one thread per core. If one of them fails, the process
/// exits.
pub(crate) fn on_each_core(
    serve: impl Fn() -> Result<(), String> + Sync,
) -> Result<(), String> {
    let (ended, end) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..harness::core_count() {
            let (ended, serve) = (ended.clone(), &serve);
            scope.spawn(move || drop(ended.send(serve())));
        }
        let first = end.recv().unwrap_or(Ok(()));
        // Exits, because the other threads would go on serving forever.
        if let Err(reason) = &first {
            eprintln!("server: {reason}");
            std::process::exit(1);
        }
        first
    })
}

/// Returns a listener that can share its port with the listeners of other
/// threads.
pub(crate) fn listen(address: SocketAddr) -> Result<TcpListener, String> {
    let listen = || {
        let socket = shared_socket()?;
        socket.set_reuse_port(true)?;
        socket.bind(&address.into())?;
        socket.listen(BACKLOG)?;
        Ok(socket.into())
    };
    listen().map_err(|error: io::Error| format!("{address}: {error}"))
}

/// Reserves a port for several listeners. Returns a socket that holds the
/// port, and the address. If `port` is 0, chooses a free port.
pub(crate) fn hold(port: u16) -> io::Result<(Socket, SocketAddr)> {
    let held = shared_socket()?;
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    held.bind(&address.into())?;
    // Set only after `bind`. If it were set before, `bind` would succeed on a
    // port that is already in use.
    held.set_reuse_port(true)?;
    let address = held.local_addr()?.as_socket();
    Ok((held, address.expect("it was bound to such an address")))
}

fn shared_socket() -> io::Result<Socket> {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, Some(Protocol::TCP))?;
    socket.set_reuse_address(true)?;
    Ok(socket)
}
