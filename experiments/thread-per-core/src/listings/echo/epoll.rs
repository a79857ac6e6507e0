//! An echo server as a bare loop around epoll, without a runtime: what the
//! kernel alone costs. Epoll is level-triggered: it reports a connection as
//! long as it is ready. The loop waits until it can read or, while the client
//! takes nothing, until it can write.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::ops::Range;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::io::Errno;
use slab::Slab;

/// The event key of the listening socket. Connections have other keys.
const LISTENER: u64 = u64::MAX;

/// How long the server accepts no connections after an error. Most likely too
/// many files are open, and an immediate retry would fail, too.
const PAUSE: Duration = Duration::from_millis(50);

struct Server<'a> {
    epoll: OwnedFd,
    listener: &'a TcpListener,
    connections: Slab<Connection>,
    paused: Option<Instant>,
}

struct Connection {
    socket: TcpStream,
    buffer: Box<[u8]>,
    /// The part of the buffer that has not been sent yet.
    unsent: Range<usize>,
    /// The events that epoll is to report for this connection.
    interest: EventFlags,
}

/// Accepts connections, counts them in `accepted`, and echoes what each of
/// them sends.
pub fn serve(listener: &TcpListener, accepted: &AtomicU64) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let epoll = epoll::create(CreateFlags::CLOEXEC)?;
    let event = EventData::new_u64(LISTENER);
    epoll::add(&epoll, listener, event, EventFlags::IN)?;
    let connections = Slab::new();
    let mut server = Server { epoll, listener, connections, paused: None };
    let mut events = Vec::with_capacity(1024);
    loop {
        let timeout = server.paused.map(|_| PAUSE.try_into()).transpose();
        let timeout = timeout.map_err(io::Error::other)?;
        let room = spare_capacity(&mut events);
        match epoll::wait(&server.epoll, room, timeout.as_ref()) {
            // A signal interrupted the wait, for example the one that
            // continues a stopped process.
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        for event in events.drain(..) {
            match event.data.u64() {
                LISTENER => server.accept(accepted)?,
                key => server.go_on(key)?,
            }
        }
        if server.paused.is_some_and(|since| since.elapsed() >= PAUSE) {
            server.paused = None;
            server.listen_for(EventFlags::IN)?;
        }
    }
}

impl Server<'_> {
    fn accept(&mut self, accepted: &AtomicU64) -> io::Result<()> {
        match self.listener.accept() {
            Ok((socket, _)) => {
                accepted.fetch_add(1, Ordering::Relaxed);
                // An error ends only this connection.
                let _ = self.add(socket);
                Ok(())
            }
            Err(error) if is_no_failure(&error) => Ok(()),
            Err(_) => {
                self.paused = Some(Instant::now());
                self.listen_for(EventFlags::empty())
            }
        }
    }

    fn listen_for(&self, interest: EventFlags) -> io::Result<()> {
        let event = EventData::new_u64(LISTENER);
        Ok(epoll::modify(&self.epoll, self.listener, event, interest)?)
    }

    fn add(&mut self, socket: TcpStream) -> io::Result<()> {
        socket.set_nonblocking(true)?;
        socket.set_nodelay(true)?;
        let place = self.connections.vacant_entry();
        let event = EventData::new_u64(place.key() as u64);
        let interest = EventFlags::IN;
        epoll::add(&self.epoll, &socket, event, interest)?;
        let buffer = vec![0; 16 * 1024].into_boxed_slice();
        place.insert(Connection { socket, buffer, unsent: 0..0, interest });
        Ok(())
    }

    /// Echoes on the connection that epoll has reported, and removes the
    /// connection if it has ended.
    fn go_on(&mut self, key: u64) -> io::Result<()> {
        let connection = &mut self.connections[key as usize];
        if !matches!(connection.echo(), Ok(true)) {
            // Closing the socket is not enough: a child process that is just
            // starting has a copy, which epoll would go on reporting.
            let closed = self.connections.remove(key as usize);
            return Ok(epoll::delete(&self.epoll, &closed.socket)?);
        }
        let is_sent = connection.unsent.is_empty();
        let next = if is_sent { EventFlags::IN } else { EventFlags::OUT };
        if connection.interest != next {
            connection.interest = next;
            let event = EventData::new_u64(key);
            epoll::modify(&self.epoll, &connection.socket, event, next)?;
        }
        Ok(())
    }
}

impl Connection {
    /// Echoes as much as possible without waiting. Returns `false` once the
    /// client has closed its side.
    fn echo(&mut self) -> io::Result<bool> {
        if self.unsent.is_empty() {
            match self.socket.read(&mut self.buffer) {
                Ok(0) => return Ok(false),
                Ok(read) => self.unsent = 0..read,
                Err(error) if is_no_failure(&error) => return Ok(true),
                Err(error) => return Err(error),
            }
        }
        match self.socket.write(&self.buffer[self.unsent.clone()]) {
            Ok(written) => self.unsent.start += written,
            Err(error) if is_no_failure(&error) => {}
            Err(error) => return Err(error),
        }
        Ok(true)
    }
}

/// Returns whether the operation can be retried once epoll reports the
/// socket.
fn is_no_failure(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}
