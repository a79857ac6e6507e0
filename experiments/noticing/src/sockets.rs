//! The readiness of each socket, and the tasks that wait for sockets.
//!
//! The kernel reports each change once (edge-triggered), so a report is
//! remembered until an operation finds the socket not ready after all.

use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};

use mio::{Events, Token};
use slab::Slab;

/// The sockets of a reactor.
#[derive(Default)]
pub(crate) struct Sockets(Mutex<Slab<Arc<Sides>>>);

/// The two sides of a socket: index [`READ`] and index [`WRITE`].
pub(crate) type Sides = [Mutex<Side>; 2];

pub(crate) const READ: usize = 0;
pub(crate) const WRITE: usize = 1;

/// The readiness of one side of a socket, which counts as ready at first.
#[derive(Default)]
pub(crate) struct Side {
    /// True if an operation would block, as far as is known.
    blocked: bool,
    /// True if the other end will send, or accept, nothing any more. The
    /// kernel reports this once, so it is never taken for an old report.
    closed: bool,
    /// The number of the kernel's reports so far, which shows whether one is
    /// new.
    news: u64,
    waiting: Option<Waker>,
}

impl Sockets {
    /// Adds a socket.
    pub(crate) fn insert(&self, sides: Arc<Sides>) -> Token {
        Token(self.lock().insert(sides))
    }

    /// Removes a socket.
    pub(crate) fn remove(&self, token: Token) {
        // The entry may hold the last waker of a task, so it is dropped after
        // the lock is released.
        let sides = self.lock().remove(token.0);
        drop(sides);
    }

    /// Notes that sockets are ready, and moves the wakers of the tasks that
    /// wait for them to `woken`.
    pub(crate) fn tell(&self, events: &Events, woken: &mut Vec<Waker>) {
        if events.is_empty() {
            return;
        }
        let sockets = self.lock();
        for event in events {
            // The socket may have been removed. If another socket has taken
            // its place, a task of that one tries once in vain.
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

    /// Notes that an operation that began after report `seen` would have
    /// blocked.
    pub(crate) fn blocked(&mut self, seen: u64) {
        self.blocked = self.news == seen;
    }

    /// Notes that an operation that began after report `seen` has read or
    /// filled everything.
    pub(crate) fn emptied(&mut self, seen: u64) {
        self.blocked = self.news == seen && !self.closed;
    }

    /// Returns the number of the report by which the socket counts as ready.
    /// If it isn't ready, has the task woken when it is.
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
