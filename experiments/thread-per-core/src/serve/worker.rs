//! What a server's threads know of the place where they serve.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;

use socket2::{Domain, Protocol, Socket, Type};

use super::interface::Interface;
use crate::listings::echo::listen::listen;

/// Where a server serves, and what it has accepted.
pub(crate) struct Site {
    address: SocketAddr,
    workers: usize,
    /// Connections accepted, by each listener.
    accepted: Vec<AtomicU64>,
    /// Holds the port, so that each worker can bind its own listener to it.
    _port: Socket,
}

impl Site {
    /// A port of this computer, which it alone can reach; 0 takes a free one. A
    /// server with so many workers and listeners is to serve there.
    ///
    /// # Errors
    ///
    /// Those of the system: somebody listens there.
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
        // Only now: else it would share a port with who has it already.
        held.set_reuse_port(true)?;
        let address = held.local_addr()?.as_socket();
        Ok(Site {
            address: address.expect("it was bound to such an address"),
            workers,
            accepted: (0..listeners).map(|_| AtomicU64::new(0)).collect(),
            _port: held,
        })
    }

    /// Where clients connect to.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// How many workers serve there.
    pub(crate) fn workers(&self) -> usize {
        self.workers
    }

    /// Connections accepted so far, by each listener.
    pub(crate) fn accepted(&self) -> Vec<u64> {
        let counts = self.accepted.iter();
        counts.map(|count| count.load(Ordering::Relaxed)).collect()
    }
}

/// What a thread of a server says.
pub(crate) enum Event {
    /// It listens, and waits by this interface.
    Ready(Interface),
    /// It serves no more, or never did, for this reason.
    Ended(String),
}

/// One of a server's threads that have a runtime, or a loop, of their own. It
/// ends only if it cannot go on.
pub(crate) struct Worker {
    pub(crate) site: &'static Site,
    /// Its place among such threads, from 0.
    pub(crate) place: usize,
    /// Whether it, and what it starts, is pinned to cores.
    pub(crate) pinned: bool,
    /// Whether several listeners share the port.
    pub(crate) reuseport: bool,
    /// By what it waits, as far as that is known before.
    pub(crate) interface: Interface,
    pub(crate) events: mpsc::Sender<Event>,
}

impl Worker {
    /// The listener of this worker.
    pub(crate) fn listener(&self) -> Result<TcpListener, String> {
        let address = self.address();
        listen(address, self.reuseport)
            .map_err(|error| format!("it cannot listen on {address}: {error}"))
    }

    /// The same, for runtimes that wait by epoll and leave its mode as it is.
    pub(crate) fn nonblocking_listener(&self) -> Result<TcpListener, String> {
        let listener = self.listener()?;
        let mode = listener.set_nonblocking(true);
        mode.map(|()| listener).map_err(|error| error.to_string())
    }

    /// The address that clients connect to, for runtimes that bind it themselves.
    pub(crate) fn address(&self) -> SocketAddr {
        self.site.address
    }

    /// Where this worker's listener counts what it accepts.
    pub(crate) fn accepted(&self) -> &'static AtomicU64 {
        self.accepted_at(self.place)
    }

    /// The same for one of several listeners of a runtime.
    pub(crate) fn accepted_at(&self, place: usize) -> &'static AtomicU64 {
        &self.site.accepted[place]
    }

    /// How many workers a runtime is to have that serves alone.
    pub(crate) fn workers(&self) -> usize {
        self.site.workers()
    }

    /// Says that it listens.
    pub(crate) fn ready(&self) {
        self.ready_by(self.interface);
    }

    /// The same of a runtime that has chosen its interface itself.
    pub(crate) fn ready_by(&self, interface: Interface) {
        // Nobody hears it any more if another worker could not be started.
        drop(self.events.send(Event::Ready(interface)));
    }
}
