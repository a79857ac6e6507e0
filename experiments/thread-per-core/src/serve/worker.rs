//! A server's site, from the view of its threads.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;

use socket2::{Domain, Protocol, Socket, Type};

use super::interface::Interface;
use crate::listings::echo::listen::listen;

/// The address of a server, and the connections that it has accepted.
pub(crate) struct Site {
    address: SocketAddr,
    workers: usize,
    /// Connections accepted by each listener.
    accepted: Vec<AtomicU64>,
    /// Holds the port, so that each worker can bind its own listener to it.
    _port: Socket,
}

impl Site {
    /// Reserves a port on the loopback interface; 0 chooses a free one. The
    /// server has this many workers and listeners.
    ///
    /// # Errors
    ///
    /// Those of the system: the port is in use.
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
        // This follows the binding, so that the socket doesn't share a port
        // that is already in use.
        held.set_reuse_port(true)?;
        let address = held.local_addr()?.as_socket();
        Ok(Site {
            address: address.expect("it was bound to such an address"),
            workers,
            accepted: (0..listeners).map(|_| AtomicU64::new(0)).collect(),
            _port: held,
        })
    }

    /// Returns the address to which clients connect.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the number of workers.
    pub(crate) fn workers(&self) -> usize {
        self.workers
    }

    /// Returns the connections accepted so far, by each listener.
    pub(crate) fn accepted(&self) -> Vec<u64> {
        let counts = self.accepted.iter();
        counts.map(|count| count.load(Ordering::Relaxed)).collect()
    }
}

/// An event of a server's thread.
pub(crate) enum Event {
    /// It listens, and waits by this interface.
    Ready(Interface),
    /// It has stopped serving, or never started, for this reason.
    Ended(String),
}

/// One of a server's threads that have their own runtime, or loop. It ends only
/// if it cannot go on.
pub(crate) struct Worker {
    pub(crate) site: &'static Site,
    /// Its index among such threads, from 0.
    pub(crate) place: usize,
    /// True if it, and the threads that it starts, are pinned to cores.
    pub(crate) pinned: bool,
    /// True if several listeners share the port.
    pub(crate) reuseport: bool,
    /// The interface by which the worker is expected to wait.
    pub(crate) interface: Interface,
    pub(crate) events: mpsc::Sender<Event>,
}

impl Worker {
    /// Returns the listener of this worker.
    pub(crate) fn listener(&self) -> Result<TcpListener, String> {
        let address = self.address();
        listen(address, self.reuseport)
            .map_err(|error| format!("it cannot listen on {address}: {error}"))
    }

    /// Returns the same in nonblocking mode, for runtimes that wait by epoll
    /// and don't change the mode.
    pub(crate) fn nonblocking_listener(&self) -> Result<TcpListener, String> {
        let listener = self.listener()?;
        let mode = listener.set_nonblocking(true);
        mode.map(|()| listener).map_err(|error| error.to_string())
    }

    /// Returns the address that clients connect to, for runtimes that bind it
    /// themselves.
    pub(crate) fn address(&self) -> SocketAddr {
        self.site.address
    }

    /// Returns the counter for this worker's listener.
    pub(crate) fn accepted(&self) -> &'static AtomicU64 {
        self.accepted_at(self.place)
    }

    /// Returns the counter for one of several listeners of a runtime.
    pub(crate) fn accepted_at(&self, place: usize) -> &'static AtomicU64 {
        &self.site.accepted[place]
    }

    /// Returns how many workers a runtime should have if it is the only one.
    pub(crate) fn workers(&self) -> usize {
        self.site.workers()
    }

    /// Reports that it listens.
    pub(crate) fn ready(&self) {
        self.ready_by(self.interface);
    }

    /// Reports the same for a runtime that has chosen its interface itself.
    pub(crate) fn ready_by(&self, interface: Interface) {
        // Fails if another worker could not be started.
        drop(self.events.send(Event::Ready(interface)));
    }
}
