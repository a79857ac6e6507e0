//! An echo server as a bare loop around io_uring, without a runtime: what the
//! kernel alone costs. Each connection has one operation in flight, a receive
//! or a send. Each turn of the loop submits all its operations in one system
//! call, which also waits for the next results.

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

/// The key of the operation that waits for clients, or for the end of a
/// pause. Operations on connections have other keys.
const LISTENER: u64 = u64::MAX;

/// How long the server accepts no connections after an error. Most likely too
/// many files are open, and an immediate retry would fail, too.
static PAUSE: Timespec = Timespec::new().nsec(50_000_000);

struct Connection {
    socket: TcpStream,
    buffer: Box<[u8]>,
    /// The part of the buffer that has not been sent yet.
    unsent: Range<usize>,
}

/// Creates a ring that only the calling thread uses, and that delivers
/// results only when the thread asks for them. This needs Linux 6.1; older
/// kernels get a plain ring.
pub fn ring() -> io::Result<IoUring> {
    let mut own = IoUring::builder();
    own.setup_single_issuer().setup_defer_taskrun();
    own.build(1024).or_else(|_| IoUring::new(1024))
}

/// Accepts connections, counts them in `accepted`, and echoes what each of
/// them sends.
pub fn serve(
    mut ring: IoUring,
    listener: &TcpListener,
    accepted: &AtomicU64,
) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    // The buffers are not freed if an error ends the loop, because the kernel
    // may still write into them.
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

/// Accepts the connections that are waiting, and submits an operation that
/// waits for more.
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
                // An error ends only this connection.
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

/// Returns the operation that waits until clients can be accepted.
fn clients_of(listener: &TcpListener) -> Entry {
    let readable = rustix::event::PollFlags::IN.bits();
    let listener = Fd(listener.as_raw_fd());
    opcode::PollAdd::new(listener, readable.into()).build().user_data(LISTENER)
}

/// Adds an operation to the ring's submission queue.
fn push(ring: &mut IoUring, operation: Entry) -> io::Result<()> {
    // SAFETY: the memory that an operation points to stays in place until its
    // result has arrived. The pause is static. A connection has one operation
    // at a time, its buffer does not move, and it is dropped only after a
    // result.
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

    /// Handles the `result` of a connection's operation, and returns the next
    /// operation. Returns `None` on an error, or if the client has closed its
    /// side.
    fn after(&mut self, result: i32) -> Option<Entry> {
        let count = usize::try_from(result).ok().filter(|&count| count > 0)?;
        if self.unsent.is_empty() {
            self.unsent = 0..count;
        } else {
            self.unsent.start += count;
        }
        Some(self.next())
    }

    /// Returns the operation that sends the unsent bytes or, if there are
    /// none, receives more.
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

/// Returns whether an operation that failed with this error can be retried.
fn is_no_failure(error: &io::Error) -> bool {
    use ErrorKind::{Interrupted, ResourceBusy, WouldBlock};
    matches!(error.kind(), Interrupted | ResourceBusy | WouldBlock)
}
