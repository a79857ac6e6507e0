//! Tracks whether each socket is ready, and which tasks wait for it.
//!
//! The kernel reports each change only once (edge-triggered), so a report is
//! remembered until an operation finds that the socket isn't ready after all.

use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};

use mio::{Events, Token};
use slab::Slab;

#[derive(Default)]
pub(crate) struct Sockets(Mutex<Slab<Arc<Sides>>>);

/// The readiness of a socket for reading, at index [`READ`], and for writing,
/// at index [`WRITE`].
pub(crate) type Sides = [Mutex<Side>; 2];

pub(crate) const READ: usize = 0;
pub(crate) const WRITE: usize = 1;

/// The readiness of a socket for reading or for writing. A new socket counts
/// as ready.
#[derive(Default)]
pub(crate) struct Side {
    /// True if the next operation is expected to block.
    blocked: bool,
    /// True once this direction of the connection has been closed. The kernel
    /// reports this only once, so later reports don't reset it.
    closed: bool,
    /// The number of reports from the kernel so far. If it has changed during
    /// an operation, there is a new report.
    news: u64,
    waiting: Option<Waker>,
}

impl Sockets {
    pub(crate) fn insert(&self, sides: Arc<Sides>) -> Token {
        Token(self.lock().insert(sides))
    }

    pub(crate) fn remove(&self, token: Token) {
        // The entry may hold the last waker of a task. Dropping a task can
        // take the lock again, so the entry is dropped after the lock is
        // released.
        let sides = self.lock().remove(token.0);
        drop(sides);
    }

    /// Marks the sockets in `events` as ready, and moves the wakers of the
    /// tasks that wait for them to `woken`.
    pub(crate) fn tell(&self, events: &Events, woken: &mut Vec<Waker>) {
        if events.is_empty() {
            return;
        }
        let sockets = self.lock();
        for event in events {
            // The socket may have been removed. If another socket has reused
            // its token, a task of that socket retries its operation in vain.
            let Some(sides) = sockets.get(event.token().0) else { continue };
            let broken = event.is_error();
            let closed = event.is_read_closed() || broken;
            if event.is_readable() || closed {
                lock(&sides[READ]).tell(closed, woken);
            }
            let closed = event.is_write_closed() || broken;
            if event.is_writable() || closed {
                lock(&sides[WRITE]).tell(closed, woken);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Slab<Arc<Sides>>> {
        self.0.lock().expect("a list does not panic")
    }
}

impl Side {
    fn tell(&mut self, closed: bool, woken: &mut Vec<Waker>) {
        self.blocked = false;
        self.closed |= closed;
        self.news += 1;
        woken.extend(self.waiting.take());
    }

    /// Records that an operation would have blocked, unless there is a newer
    /// report. `seen` is the number of the last report before the operation.
    pub(crate) fn blocked(&mut self, seen: u64) {
        self.blocked = self.news == seen;
    }

    /// Records that an operation has read all available data or filled the
    /// socket's buffer, unless there is a newer report. `seen` is the number
    /// of the last report before the operation.
    pub(crate) fn emptied(&mut self, seen: u64) {
        self.blocked = self.news == seen && !self.closed;
    }

    /// Returns the number of the last report if the socket is marked as
    /// ready. Otherwise, arranges for the task to be woken once it is ready.
    pub(crate) fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<u64> {
        if !self.blocked {
            return Poll::Ready(self.news);
        }
        self.waiting = Some(cx.waker().clone());
        Poll::Pending
    }
}

pub(crate) fn lock(side: &Mutex<Side>) -> MutexGuard<'_, Side> {
    side.lock().expect("changing numbers does not panic")
}
