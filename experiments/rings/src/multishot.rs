//! An echo server as a bare loop around io_uring, with as few requests as
//! possible: one accept, and one receive per connection, which continue until
//! something ends them (*multishot*). The kernel takes a buffer for received
//! bytes from a ring of buffers, and gets it back when all its bytes have
//! been sent. Clients that don't read can hold all buffers: a public server
//! would have to limit the buffers per client.

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

/// The tokens of the operation that accepts connections, and of the end of a
/// pause. A connection's receive has twice its key as the token; its send has
/// one more.
const LISTENER: u64 = u64::MAX;
const PAUSED: u64 = u64::MAX - 1;

/// How long the server accepts no connections after an error. Most likely too
/// many files are open, and an immediate retry would fail, too.
static PAUSE: Timespec = Timespec::new().nsec(50_000_000);

/// The number of buffers, which must be a power of two, and the length of
/// each buffer in bytes.
const BUFFERS: u16 = 256;
const BUFFER_BYTES: usize = 16 * 1024;

/// The id of the buffer group. It contains all buffers.
const GROUP: u16 = 0;

/// Buffers that the kernel fills with received bytes. They are never freed,
/// because the kernel may still write into them.
struct Buffers {
    entries: *mut BufRingEntry,
    bytes: *mut u8,
    tail: u16,
}

/// A buffer with received bytes that have not all been sent back.
struct Piece {
    buffer: u16,
    unsent: Range<usize>,
}

struct Connection {
    socket: TcpStream,
    /// The buffers to send back, in the order of their arrival. The first one
    /// is being sent.
    pieces: VecDeque<Piece>,
    receives: bool,
    /// True if the client has closed its side, or if an operation has failed.
    is_ending: bool,
}

struct Server {
    ring: IoUring,
    buffers: Buffers,
    connections: Slab<Connection>,
    /// The keys of connections whose receive operation ended because no
    /// buffer was left.
    starved: VecDeque<usize>,
}

/// Accepts connections, counts them in `accepted`, and echoes on each. No
/// other thread may use the ring.
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
    /// Adds an accepted connection, and starts to receive from it.
    fn add(&mut self, socket: i32) -> io::Result<()> {
        // SAFETY: the kernel has just created the descriptor, and nothing
        // else owns it.
        let socket = unsafe { TcpStream::from_raw_fd(socket) };
        // An error ends only this connection.
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

    /// Handles the result of a connection's receive or send operation, and
    /// removes the connection if it has ended.
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
            // A connection that is ending doesn't wait for a buffer, since it
            // will be gone before a buffer comes back.
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
            // The send has failed. Shutting down the socket ends the
            // connection's receive, too.
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

    /// Gives a buffer back to the kernel. Also restarts a receive operation
    /// that had ended because no buffer was left.
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

    /// Sends the unsent part of the connection's first buffer.
    fn send(&mut self, key: usize) -> io::Result<()> {
        let connection = &self.connections[key];
        let Piece { buffer, unsent } = &connection.pieces[0];
        let bytes = self.buffers.at(*buffer).wrapping_add(unsent.start);
        let socket = Fd(connection.socket.as_raw_fd());
        let send = opcode::Send::new(socket, bytes, unsent.len() as u32);
        self.push(send.build().user_data(2 * key as u64 + 1))
    }

    fn push(&mut self, operation: Entry) -> io::Result<()> {
        // SAFETY: an operation points to static memory, or to a buffer that is
        // never freed and that nothing writes to until it is given back.
        while unsafe { self.ring.submission().push(&operation) }.is_err() {
            self.ring.submit()?;
        }
        Ok(())
    }
}

impl Buffers {
    /// Registers all buffers with the ring, and lets the kernel take any of
    /// them.
    fn new(ring: &IoUring) -> io::Result<Buffers> {
        let layout = Layout::array::<BufRingEntry>(BUFFERS.into());
        // The kernel requires that the array of entries starts at a page
        // boundary.
        let layout = layout.and_then(|it| it.align_to(4096));
        let layout = layout.map_err(io::Error::other)?;
        // SAFETY: the layout's size is not zero. If the allocation fails, the
        // kernel refuses the null pointer below.
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

    fn at(&self, buffer: u16) -> *mut u8 {
        self.bytes.wrapping_add(usize::from(buffer) * BUFFER_BYTES)
    }

    fn give(&mut self, buffer: u16) {
        let place = usize::from(self.tail % BUFFERS);
        self.tail = self.tail.wrapping_add(1);
        // SAFETY: the index is within the array of entries. The kernel reads
        // an entry only after the tail has passed it. The tail lies in a part
        // of the first entry that entries don't use.
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

/// Returns whether an operation that failed with this error can be retried.
fn is_no_failure(error: &io::Error) -> bool {
    use ErrorKind::{Interrupted, ResourceBusy, WouldBlock};
    matches!(error.kind(), Interrupted | ResourceBusy | WouldBlock)
}
