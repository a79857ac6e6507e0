//! What a server's threads share, and what each of them gets.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;

use socket2::{Domain, Protocol, Socket, Type};

use super::interface::Interface;
use crate::listings::echo::listen::listen;

/// A server's address, its number of workers, and the connections that it has
/// accepted.
pub(crate) struct Site {
    address: SocketAddr,
    workers: usize,
    /// Connections accepted by each listener.
    accepted: Vec<AtomicU64>,
    /// Holds the port, so that each worker can bind its own listener to it.
    _port: Socket,
}

impl Site {
    /// Reserves `port` on the loopback interface for a server with this
    /// number of workers and listeners. Port 0 means any free one.
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
        // The option is set only after binding, so that the socket doesn't
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

    /// Returns how many connections each listener has accepted so far.
    pub(crate) fn accepted(&self) -> Vec<u64> {
        let counts = self.accepted.iter();
        counts.map(|count| count.load(Ordering::Relaxed)).collect()
    }
}

/// What a server's thread reports.
pub(crate) enum Event {
    /// The thread listens, and waits by this interface.
    Ready(Interface),
    /// The thread has stopped serving, or never started, for this reason.
    Ended(String),
}

/// One of a server's threads with their own runtime, or event loop. A worker
/// ends only if it cannot go on.
pub(crate) struct Worker {
    pub(crate) site: &'static Site,
    /// The worker's index, from 0.
    pub(crate) place: usize,
    /// True if the worker, and the threads that it starts, are pinned to
    /// cores.
    pub(crate) pinned: bool,
    /// True if several listeners share the port.
    pub(crate) reuseport: bool,
    /// The interface by which the worker is expected to wait.
    pub(crate) interface: Interface,
    pub(crate) events: mpsc::Sender<Event>,
}

impl Worker {
    /// Creates this worker's listener.
    pub(crate) fn listener(&self) -> Result<TcpListener, String> {
        let address = self.address();
        listen(address, self.reuseport)
            .map_err(|error| format!("it cannot listen on {address}: {error}"))
    }

    /// Creates this worker's listener in nonblocking mode, for runtimes that
    /// wait by epoll and don't change the mode.
    pub(crate) fn nonblocking_listener(&self) -> Result<TcpListener, String> {
        let listener = self.listener()?;
        let mode = listener.set_nonblocking(true);
        mode.map(|()| listener).map_err(|error| error.to_string())
    }

    /// Returns the address to which clients connect, for runtimes that bind
    /// it themselves.
    pub(crate) fn address(&self) -> SocketAddr {
        self.site.address
    }

    /// Returns the counter of connections for this worker's listener.
    pub(crate) fn accepted(&self) -> &'static AtomicU64 {
        self.accepted_at(self.place)
    }

    /// Returns the counter of connections for listener number `place`, if a
    /// runtime has several.
    pub(crate) fn accepted_at(&self, place: usize) -> &'static AtomicU64 {
        &self.site.accepted[place]
    }

    /// Returns how many workers a runtime should have if it is the server's
    /// only one.
    pub(crate) fn workers(&self) -> usize {
        self.site.workers()
    }

    /// Reports that this worker listens.
    pub(crate) fn ready(&self) {
        self.ready_by(self.interface);
    }

    /// Reports that this worker listens, for a runtime that has chosen its
    /// interface itself.
    pub(crate) fn ready_by(&self, interface: Interface) {
        // Sending fails if another worker could not be started.
        drop(self.events.send(Event::Ready(interface)));
    }
}
