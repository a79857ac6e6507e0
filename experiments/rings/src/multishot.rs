//! An echo server as a bare loop around io_uring that asks for as little as it can:
//! one accept and, for each connection, one receive, which go on until something ends
//! them (*multishot*). The kernel takes the buffer of what it has received from a ring
//! of buffers, which is given back when all of it is sent. Clients that take nothing can
//! hold all buffers: a server for strangers would limit what one of them may hold.

use std::alloc::{alloc_zeroed, Layout};
use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::ops::Range;
use std::os::fd::{AsRawFd, FromRawFd};
use std::sync::atomic::{AtomicU16, AtomicU64, Ordering};

use io_uring::cqueue;
use io_uring::squeue::Entry;
use io_uring::types::{BufRingEntry, Fd, Timespec};
use io_uring::{opcode, IoUring};
use rustix::io::Errno;
use slab::Slab;

/// The accept, and the end of a pause of it. Those of a connection are twice its key,
/// and one more for a send.
const LISTENER: u64 = u64::MAX;
const PAUSED: u64 = u64::MAX - 1;

/// How long to accept nothing after an error. Most likely too many files are
/// open: an immediate retry would fail, too.
static PAUSE: Timespec = Timespec::new().nsec(50_000_000);

/// How many buffers there are, a power of two, and how long each is.
const BUFFERS: u16 = 256;
const BUFFER_BYTES: usize = 16 * 1024;

/// The kernel's name for them.
const GROUP: u16 = 0;

/// Buffers that the kernel may take. Never freed: it may write there.
struct Buffers {
    entries: *mut BufRingEntry,
    bytes: *mut u8,
    tail: u16,
}

/// What was received and is to be sent.
struct Piece {
    buffer: u16,
    unsent: Range<usize>,
}

struct Connection {
    socket: TcpStream,
    /// The first is being sent.
    pieces: VecDeque<Piece>,
    /// Whether its receive goes on.
    receives: bool,
    /// Whether the client sends no more, or something is broken.
    is_ending: bool,
}

struct Server {
    ring: IoUring,
    buffers: Buffers,
    connections: Slab<Connection>,
    /// Those whose receive ended because no buffer was left.
    starved: VecDeque<usize>,
}

/// Echoes on each connection that comes, and counts them in `accepted`. The ring is for
/// this thread alone.
pub(crate) fn serve(
    ring: IoUring,
    listener: &TcpListener,
    accepted: &AtomicU64,
) -> io::Result<()> {
    let buffers = Buffers::new(&ring)?;
    let (connections, starved) = (Slab::new(), VecDeque::new());
    let mut server = Server { ring, buffers, connections, starved };
    let accept = || {
        let accept = opcode::AcceptMulti::new(Fd(listener.as_raw_fd()));
        accept.build().user_data(LISTENER)
    };
    server.push(accept())?;
    let mut results = Vec::with_capacity(1024);
    loop {
        match server.ring.submit_and_wait(1) {
            Err(error) if !is_no_failure(&error) => return Err(error),
            _ => {}
        }
        results.extend(server.ring.completion());
        for result in results.drain(..) {
            match result.user_data() {
                LISTENER => {
                    if result.result() >= 0 {
                        accepted.fetch_add(1, Ordering::Relaxed);
                        server.add(result.result())?;
                    }
                    if !cqueue::more(result.flags()) {
                        let pause = opcode::Timeout::new(&PAUSE).build();
                        server.push(pause.user_data(PAUSED))?;
                    }
                }
                PAUSED => server.push(accept())?,
                token => server.go_on(token, &result)?,
            }
        }
    }
}

impl Server {
    /// A connection that was accepted.
    fn add(&mut self, socket: i32) -> io::Result<()> {
        // SAFETY: the kernel has just made it, for us alone.
        let socket = unsafe { TcpStream::from_raw_fd(socket) };
        // An error ends this connection only.
        if socket.set_nodelay(true).is_err() {
            return Ok(());
        }
        let key = self.connections.insert(Connection {
            socket,
            pieces: VecDeque::new(),
            receives: false,
            is_ending: false,
        });
        self.receive(key)
    }

    /// A connection's receive or send has a result.
    fn go_on(&mut self, token: u64, result: &cqueue::Entry) -> io::Result<()> {
        let key = (token / 2) as usize;
        if token.is_multiple_of(2) {
            self.received(key, result)?;
        } else {
            self.sent(key, result.result())?;
        }
        let connection = &self.connections[key];
        let is_idle = connection.pieces.is_empty() && !connection.receives;
        if connection.is_ending && is_idle {
            self.connections.remove(key);
        }
        Ok(())
    }

    fn received(
        &mut self,
        key: usize,
        result: &cqueue::Entry,
    ) -> io::Result<()> {
        let connection = &mut self.connections[key];
        connection.receives = cqueue::more(result.flags());
        let buffer = cqueue::buffer_select(result.flags());
        match (usize::try_from(result.result()), buffer) {
            (Ok(count), Some(buffer)) if count > 0 => {
                if connection.is_ending {
                    self.give_back(buffer)?;
                    return Ok(());
                }
                let goes_on = connection.receives;
                connection.pieces.push_back(Piece { buffer, unsent: 0..count });
                if connection.pieces.len() == 1 {
                    self.send(key)?;
                }
                if !goes_on {
                    self.receive(key)?;
                }
            }
            // One that is ending would be gone when a buffer comes back.
            (Err(_), _)
                if result.result() == -Errno::NOBUFS.raw_os_error()
                    && !connection.is_ending =>
            {
                self.starved.push_back(key);
            }
            (_, buffer) => {
                connection.is_ending = true;
                if let Some(buffer) = buffer {
                    self.give_back(buffer)?;
                }
            }
        }
        Ok(())
    }

    fn sent(&mut self, key: usize, result: i32) -> io::Result<()> {
        let connection = &mut self.connections[key];
        match usize::try_from(result) {
            Ok(count) if count > 0 => {
                let piece = &mut connection.pieces[0];
                piece.unsent.start += count;
                if piece.unsent.is_empty() {
                    let buffer = piece.buffer;
                    connection.pieces.pop_front();
                    self.give_back(buffer)?;
                }
                if !self.connections[key].pieces.is_empty() {
                    self.send(key)?;
                }
            }
            // It is broken: its receive ends, too.
            _ => {
                connection.is_ending = true;
                drop(connection.socket.shutdown(Shutdown::Both));
                self.starved.retain(|&starved| starved != key);
                let lost = std::mem::take(&mut connection.pieces);
                for piece in lost {
                    self.give_back(piece.buffer)?;
                }
            }
        }
        Ok(())
    }

    /// Gives a buffer to the kernel; a receive that ended for want of one begins anew.
    fn give_back(&mut self, buffer: u16) -> io::Result<()> {
        self.buffers.give(buffer);
        self.starved.pop_front().map_or(Ok(()), |key| self.receive(key))
    }

    fn receive(&mut self, key: usize) -> io::Result<()> {
        let connection = &mut self.connections[key];
        connection.receives = true;
        let socket = Fd(connection.socket.as_raw_fd());
        let receive = opcode::RecvMulti::new(socket, GROUP).build();
        self.push(receive.user_data(2 * key as u64))
    }

    /// Sends a connection's first piece.
    fn send(&mut self, key: usize) -> io::Result<()> {
        let connection = &self.connections[key];
        let Piece { buffer, unsent } = &connection.pieces[0];
        let bytes = self.buffers.at(*buffer).wrapping_add(unsent.start);
        let socket = Fd(connection.socket.as_raw_fd());
        let send = opcode::Send::new(socket, bytes, unsent.len() as u32);
        self.push(send.build().user_data(2 * key as u64 + 1))
    }

    /// Puts an operation into the ring.
    fn push(&mut self, operation: Entry) -> io::Result<()> {
        // SAFETY: what an operation points to is static, or a buffer that is never
        // freed and that nobody writes to until it is given back.
        while unsafe { self.ring.submission().push(&operation) }.is_err() {
            self.ring.submit()?;
        }
        Ok(())
    }
}

impl Buffers {
    /// Registers them, all to be taken.
    fn new(ring: &IoUring) -> io::Result<Buffers> {
        let layout = Layout::array::<BufRingEntry>(BUFFERS.into());
        // The kernel wants them to begin with a page.
        let layout = layout.and_then(|it| it.align_to(4096));
        let layout = layout.map_err(io::Error::other)?;
        // SAFETY: it has a size; where it fails, the kernel refuses the null below.
        let entries = unsafe { alloc_zeroed(layout) }.cast::<BufRingEntry>();
        let bytes = vec![0; usize::from(BUFFERS) * BUFFER_BYTES];
        let bytes = Box::leak(bytes.into_boxed_slice()).as_mut_ptr();
        // SAFETY: the entries are never freed.
        unsafe {
            ring.submitter().register_buf_ring_with_flags(
                entries as u64,
                BUFFERS,
                GROUP,
                0,
            )?;
        }
        let mut buffers = Buffers { entries, bytes, tail: 0 };
        (0..BUFFERS).for_each(|buffer| buffers.give(buffer));
        Ok(buffers)
    }

    /// Where a buffer begins.
    fn at(&self, buffer: u16) -> *mut u8 {
        self.bytes.wrapping_add(usize::from(buffer) * BUFFER_BYTES)
    }

    /// Lets the kernel take a buffer.
    fn give(&mut self, buffer: u16) {
        let place = usize::from(self.tail % BUFFERS);
        self.tail = self.tail.wrapping_add(1);
        // SAFETY: the place is one of the entries. The kernel reads an entry once the
        // tail, which is a part of the first that an entry does not use, is behind it.
        unsafe {
            let entry = &mut *self.entries.add(place);
            entry.set_addr(self.at(buffer) as u64);
            entry.set_len(BUFFER_BYTES as u32);
            entry.set_bid(buffer);
            let tail = BufRingEntry::tail(self.entries).cast::<AtomicU16>();
            (*tail).store(self.tail, Ordering::Release);
        }
    }
}

/// Whether to go on and try again.
fn is_no_failure(error: &io::Error) -> bool {
    use ErrorKind::{Interrupted, ResourceBusy, WouldBlock};
    matches!(error.kind(), Interrupted | ResourceBusy | WouldBlock)
}
