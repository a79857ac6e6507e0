//! The data that all threads of a server share, and the data of each thread.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;

use socket2::{Domain, Protocol, Socket, Type};

use super::interface::Interface;
use crate::listings::echo::listen::listen;

/// A server's address, its number of workers, and how many connections it has
/// accepted.
pub(crate) struct Site {
    address: SocketAddr,
    workers: usize,
    accepted: Vec<AtomicU64>,
    /// Holds the port, so that each worker can bind a listener to it.
    _port: Socket,
}

impl Site {
    /// Reserves `port` on the loopback interface for a server. Port 0 means
    /// any free one.
    ///
    /// # Errors
    ///
    /// If the port is in use, or the system refuses a socket.
    pub(crate) fn new(
        port: u16,
        workers: usize,
        listeners: usize,
    ) -> io::Result<Site> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let held =
            Socket::new(Domain::IPV4, Type::STREAM, Some(Protocol::TCP))?;
        held.set_reuse_address(true)?;
        held.bind(&address.into())?;
        // Sets the option only after binding. Otherwise, the socket could
        // share a port that is already in use.
        held.set_reuse_port(true)?;
        let address = held.local_addr()?.as_socket();
        Ok(Site {
            address: address.expect("it was bound to such an address"),
            workers,
            accepted: (0..listeners).map(|_| AtomicU64::new(0)).collect(),
            _port: held,
        })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn workers(&self) -> usize {
        self.workers
    }

    pub(crate) fn accepted(&self) -> Vec<u64> {
        let counts = self.accepted.iter();
        counts.map(|count| count.load(Ordering::Relaxed)).collect()
    }
}

pub(crate) enum Event {
    /// The thread listens, and uses this interface to wait for its
    /// connections.
    Ready(Interface),
    /// The thread has stopped serving, or could not start, for this reason.
    Ended(String),
}

/// A server thread, which runs a runtime or an event loop. It ends only on an
/// error.
pub(crate) struct Worker {
    pub(crate) site: &'static Site,
    pub(crate) place: usize,
    /// True if this worker's thread, and the threads that it starts, are
    /// pinned to cores.
    pub(crate) pinned: bool,
    pub(crate) reuseport: bool,
    pub(crate) interface: Interface,
    pub(crate) events: mpsc::Sender<Event>,
}

impl Worker {
    pub(crate) fn listener(&self) -> Result<TcpListener, String> {
        let address = self.address();
        listen(address, self.reuseport)
            .map_err(|error| format!("it cannot listen on {address}: {error}"))
    }

    /// Creates this worker's listener in nonblocking mode, for runtimes that
    /// use epoll and don't set that mode themselves.
    pub(crate) fn nonblocking_listener(&self) -> Result<TcpListener, String> {
        let listener = self.listener()?;
        let mode = listener.set_nonblocking(true);
        mode.map(|()| listener).map_err(|error| error.to_string())
    }

    /// Returns the address to which clients connect. Some runtimes create the
    /// listener for this address themselves.
    pub(crate) fn address(&self) -> SocketAddr {
        self.site.address
    }

    /// Returns the counter of the connections that this worker's listener has
    /// accepted.
    pub(crate) fn accepted(&self) -> &'static AtomicU64 {
        self.accepted_at(self.place)
    }

    /// Returns the counter of connections accepted by the listener with index
    /// `place`, for a runtime that has several listeners.
    pub(crate) fn accepted_at(&self, place: usize) -> &'static AtomicU64 {
        &self.site.accepted[place]
    }

    /// Returns the number of workers that a runtime should have if the server
    /// has only one runtime.
    pub(crate) fn workers(&self) -> usize {
        self.site.workers()
    }

    pub(crate) fn ready(&self) {
        self.ready_by(self.interface);
    }

    /// Reports that clients can connect to this worker's listener, and which
    /// interface the worker uses to wait. Only needed for a runtime that
    /// chooses the interface itself.
    pub(crate) fn ready_by(&self, interface: Interface) {
        // An error is ignored. It means that another worker could not be
        // started, so nobody receives this message.
        drop(self.events.send(Event::Ready(interface)));
    }
}
