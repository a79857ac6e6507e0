//! The listeners by which servers accept connections.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::mpsc;
use std::thread;

use socket2::{Domain, Protocol, Socket, Type};

/// How many connections the kernel may establish before the server accepts
/// them.
const BACKLOG: i32 = 1024;

/// The sender of a signal that a listener is there.
#[derive(Clone)]
pub(crate) struct Ready(pub(crate) mpsc::Sender<()>);

impl Ready {
    /// Sends the signal.
    pub(crate) fn say(&self) {
        // Sending fails if another listener could not be created.
        let _ = self.0.send(());
    }
}

/// Serves on one thread per core, until one of them fails.
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
        // The other threads would go on forever, so the process exits.
        if let Err(reason) = &first {
            eprintln!("server: {reason}");
            std::process::exit(1);
        }
        first
    })
}

/// Returns a listener that shares its port with the listeners of other
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

/// Reserves a port for listeners that share it. Returns the socket that holds
/// the port, and the address.
pub(crate) fn hold(port: u16) -> io::Result<(Socket, SocketAddr)> {
    let held = shared_socket()?;
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    held.bind(&address.into())?;
    // This comes after `bind`, so that the socket doesn't share a port that
    // is already in use.
    held.set_reuse_port(true)?;
    let address = held.local_addr()?.as_socket();
    Ok((held, address.expect("it was bound to such an address")))
}

fn shared_socket() -> io::Result<Socket> {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, Some(Protocol::TCP))?;
    socket.set_reuse_address(true)?;
    Ok(socket)
}
