//! An echo server as a bare loop around io_uring, with no runtime at all: what
//! the kernel alone costs. Each connection has one operation under way, a receive
//! or a send. All that one turn of the loop asks for goes to the kernel in one
//! system call, which also waits for the next results.

use std::io::{self, ErrorKind};
use std::mem::ManuallyDrop;
use std::net::{TcpListener, TcpStream};
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicU64, Ordering};

use io_uring::squeue::Entry;
use io_uring::types::{Fd, Timespec};
use io_uring::{opcode, IoUring};
use slab::Slab;

/// The operation that waits for clients, or for the end of a pause; those of
/// connections bear their keys.
const LISTENER: u64 = u64::MAX;

/// How long to accept nothing after an error. Most likely there are too many
/// open files: trying again at once would fail again at once.
static PAUSE: Timespec = Timespec::new().nsec(50_000_000);

struct Connection {
    socket: TcpStream,
    buffer: Box<[u8]>,
    /// What of the buffer is still to be sent.
    unsent: Range<usize>,
}

/// A ring for the calling thread alone, which takes in results when it asks for
/// them; from Linux 6.1 on. Older kernels have the plain one.
pub fn ring() -> io::Result<IoUring> {
    let mut own = IoUring::builder();
    own.setup_single_issuer().setup_defer_taskrun();
    own.build(1024).or_else(|_| IoUring::new(1024))
}

/// Echoes on each connection that comes, and counts them in `accepted`.
pub fn serve(
    mut ring: IoUring,
    listener: &TcpListener,
    accepted: &AtomicU64,
) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    // Not freed when an error ends the loop: the kernel may still write there.
    let mut connections = ManuallyDrop::new(Slab::new());
    let mut results = Vec::with_capacity(1024);
    push(&mut ring, clients_of(listener))?;
    loop {
        match ring.submit_and_wait(1) {
            Err(error) if !is_no_failure(&error) => return Err(error),
            _ => {}
        }
        let done = ring.completion();
        results.extend(done.map(|entry| (entry.user_data(), entry.result())));
        for (token, result) in results.drain(..) {
            if token == LISTENER {
                accept(&mut ring, listener, &mut connections, accepted)?;
                continue;
            }
            let key = token as usize;
            let connection: &mut Connection = &mut connections[key];
            match connection.after(result) {
                Some(next) => push(&mut ring, next.user_data(token))?,
                None => drop(connections.remove(key)),
            }
        }
    }
}

/// Accepts the connections that are there, and asks for the next.
fn accept(
    ring: &mut IoUring,
    listener: &TcpListener,
    connections: &mut Slab<Connection>,
    accepted: &AtomicU64,
) -> io::Result<()> {
    let next = loop {
        match listener.accept() {
            Ok((socket, _)) => {
                accepted.fetch_add(1, Ordering::Relaxed);
                // Its error ends this connection, and no other.
                if socket.set_nodelay(true).is_ok() {
                    let place = connections.vacant_entry();
                    let token = place.key() as u64;
                    let connection = place.insert(Connection::new(socket));
                    push(ring, connection.next().user_data(token))?;
                }
            }
            Err(error) if is_no_failure(&error) => break clients_of(listener),
            Err(_) => break opcode::Timeout::new(&PAUSE).build(),
        }
    };
    push(ring, next.user_data(LISTENER))
}

/// Waits until there are clients to be accepted.
fn clients_of(listener: &TcpListener) -> Entry {
    let readable = rustix::event::PollFlags::IN.bits();
    let listener = Fd(listener.as_raw_fd());
    opcode::PollAdd::new(listener, readable.into()).build().user_data(LISTENER)
}

/// Puts an operation into the ring.
fn push(ring: &mut IoUring, operation: Entry) -> io::Result<()> {
    // SAFETY: what an operation points to stays where it is until its result has
    // come. The pause is static. A connection has one operation at a time, its
    // buffer does not move, and it is dropped only after a result.
    while unsafe { ring.submission().push(&operation) }.is_err() {
        ring.submit()?;
    }
    Ok(())
}

impl Connection {
    fn new(socket: TcpStream) -> Connection {
        let buffer = vec![0; 16 * 1024].into_boxed_slice();
        Connection { socket, buffer, unsent: 0..0 }
    }

    /// What is to be done after this result; nothing if it is an error, or if the
    /// client sends no more.
    fn after(&mut self, result: i32) -> Option<Entry> {
        let count = usize::try_from(result).ok().filter(|&count| count > 0)?;
        if self.unsent.is_empty() {
            self.unsent = 0..count;
        } else {
            self.unsent.start += count;
        }
        Some(self.next())
    }

    /// Sends what is not sent yet, or receives more.
    fn next(&mut self) -> Entry {
        let socket = Fd(self.socket.as_raw_fd());
        if self.unsent.is_empty() {
            let buffer = &mut self.buffer;
            let room = buffer.len() as u32;
            opcode::Recv::new(socket, buffer.as_mut_ptr(), room).build()
        } else {
            let unsent = &self.buffer[self.unsent.clone()];
            let len = unsent.len() as u32;
            opcode::Send::new(socket, unsent.as_ptr(), len).build()
        }
    }
}

/// Whether to go on and try again.
fn is_no_failure(error: &io::Error) -> bool {
    use ErrorKind::{Interrupted, ResourceBusy, WouldBlock};
    matches!(error.kind(), Interrupted | ResourceBusy | WouldBlock)
}
