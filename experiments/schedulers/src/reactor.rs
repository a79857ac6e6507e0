//! The reactor: asks the kernel which sockets are ready, and wakes the tasks
//! that wait for them. Each worker has a reactor and sleeps in it. A socket
//! belongs to the reactor of the worker that first waits for it.
//!
//! The kernel reports each change only once (edge-triggered), so the reactor
//! remembers a report until an operation finds that the socket isn't ready
//! after all.

use std::cell::OnceCell;
use std::io::{self, ErrorKind};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{ready, Context, Poll, Waker};
use std::time::Duration;

use mio::event::{Event, Source};
use mio::{Events, Interest, Registry, Token};
use slab::Slab;

/// The token of the event with which another thread wakes the worker.
const UNPARK: Token = Token(usize::MAX);

/// The maximum number of events to fetch at once. The next call fetches the
/// rest.
const EVENTS: usize = 1024;

pub(crate) struct Reactor {
    poll: mio::Poll,
    events: Events,
    registrar: Arc<Registrar>,
    waker: Arc<mio::Waker>,
    /// The tasks to wake. Reusing the list saves allocations.
    woken: Vec<Waker>,
}

/// The part of a reactor that its sockets hold a reference to. It may outlive
/// the reactor.
struct Registrar {
    registry: Registry,
    sockets: Mutex<Slab<Arc<Readiness>>>,
}

thread_local! {
    static CURRENT: OnceCell<Arc<Registrar>> = const { OnceCell::new() };
}

impl Reactor {
    /// # Errors
    ///
    /// If the system has no more file descriptors.
    pub(crate) fn new() -> io::Result<Self> {
        let poll = mio::Poll::new()?;
        let registry = poll.registry().try_clone()?;
        let waker = Arc::new(mio::Waker::new(&registry, UNPARK)?);
        Ok(Reactor {
            poll,
            events: Events::with_capacity(EVENTS),
            registrar: Arc::new(Registrar {
                registry,
                sockets: Mutex::default(),
            }),
            waker,
            woken: Vec::new(),
        })
    }

    /// Returns a waker that ends the current or the next [`Reactor::wait`].
    pub(crate) fn waker(&self) -> Arc<mio::Waker> {
        Arc::clone(&self.waker)
    }

    /// Makes this the reactor of the calling thread, until the thread ends.
    pub(crate) fn enter(&self) {
        let registrar = Arc::clone(&self.registrar);
        let fresh = CURRENT.with(|current| current.set(registrar).is_ok());
        assert!(fresh, "a thread has one reactor");
    }

    /// Sleeps until a socket is ready, the waker is called, or the timeout
    /// expires. May return early.
    pub(crate) fn wait(&mut self, timeout: Option<Duration>) {
        match self.poll.poll(&mut self.events, timeout) {
            // A signal has interrupted the system call.
            Err(error) if error.kind() == ErrorKind::Interrupted => {
                self.events.clear();
            }
            polled => polled.expect("the reactor is open"),
        }
    }

    pub(crate) fn dispatch(&mut self) {
        if self.events.is_empty() {
            return;
        }
        let sockets = self.registrar.sockets();
        for event in &self.events {
            // The socket may have been removed. If another socket has reused
            // its index, a task of that socket retries its operation in vain.
            if let Some(readiness) = sockets.get(event.token().0) {
                readiness.tell(event, &mut self.woken);
            }
        }
        drop(sockets);
        self.events.clear();
        self.woken.drain(..).for_each(Waker::wake);
    }
}

impl Registrar {
    fn sockets(&self) -> MutexGuard<'_, Slab<Arc<Readiness>>> {
        self.sockets.lock().expect("a list does not panic")
    }
}

#[derive(Clone, Copy)]
pub(crate) enum Direction {
    Read,
    Write,
}

#[derive(Default)]
struct Readiness {
    read: Mutex<Side>,
    write: Mutex<Side>,
}

/// The readiness of a socket for reading or for writing. A new socket counts
/// as ready.
#[derive(Default)]
struct Side {
    /// True if the next operation is expected to block.
    blocked: bool,
    /// True once this direction of the connection has been closed. The kernel
    /// reports this only once, so it is stored here.
    closed: bool,
    /// The number of reports from the kernel so far. If it has changed during
    /// an operation, there is a new report.
    news: u64,
    waiting: Option<Waker>,
}

impl Readiness {
    fn side(&self, direction: Direction) -> MutexGuard<'_, Side> {
        let side = match direction {
            Direction::Read => &self.read,
            Direction::Write => &self.write,
        };
        side.lock().expect("changing numbers does not panic")
    }

    fn tell(&self, event: &Event, woken: &mut Vec<Waker>) {
        let closed = event.is_read_closed() || event.is_error();
        if event.is_readable() || closed {
            self.side(Direction::Read).tell(closed, woken);
        }
        let closed = event.is_write_closed() || event.is_error();
        if event.is_writable() || closed {
            self.side(Direction::Write).tell(closed, woken);
        }
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
    fn blocked(&mut self, seen: u64) {
        self.blocked = self.news == seen;
    }

    /// Records that an operation has read all available data or filled the
    /// socket's buffer, unless there is a newer report. `seen` is the number
    /// of the last report before the operation.
    fn emptied(&mut self, seen: u64) {
        self.blocked = self.news == seen && !self.closed;
    }

    /// Returns the number of the last report if the socket is marked as
    /// ready. Otherwise, arranges for the task to be woken once it is ready.
    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<u64> {
        if !self.blocked {
            return Poll::Ready(self.news);
        }
        match &mut self.waiting {
            Some(waker) => waker.clone_from(cx.waker()),
            none => *none = Some(cx.waker().clone()),
        }
        Poll::Pending
    }
}

/// A socket that registers with the reactor of the first worker that waits
/// for it.
pub(crate) struct Socket<S: Source> {
    inner: S,
    registration: Option<Registration>,
}

struct Registration {
    registrar: Arc<Registrar>,
    key: usize,
    readiness: Arc<Readiness>,
}

impl<S: Source> Socket<S> {
    /// Wraps a socket, which must be in nonblocking mode.
    pub(crate) fn new(inner: S) -> Self {
        Socket { inner, registration: None }
    }

    pub(crate) fn get(&self) -> &S {
        &self.inner
    }

    /// Repeats `operation` whenever the socket is ready, until it doesn't
    /// block. `emptied` returns true for a result after which the next
    /// operation would block. This saves a system call.
    ///
    /// # Errors
    ///
    /// The operation's errors. If it would block, also an error if this
    /// thread is no worker or its reactor takes no more sockets.
    pub(crate) fn poll<T>(
        &mut self,
        direction: Direction,
        cx: &mut Context<'_>,
        mut operation: impl FnMut(&S) -> io::Result<T>,
        emptied: impl Fn(&T) -> bool,
    ) -> Poll<io::Result<T>> {
        loop {
            let Some(registration) = &self.registration else {
                match operation(&self.inner) {
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {
                        self.register()?;
                        continue;
                    }
                    result => return Poll::Ready(result),
                }
            };
            let readiness = &registration.readiness;
            let seen = ready!(readiness.side(direction).poll_ready(cx));
            match operation(&self.inner) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    readiness.side(direction).blocked(seen);
                }
                Ok(value) if emptied(&value) => {
                    readiness.side(direction).emptied(seen);
                    return Poll::Ready(Ok(value));
                }
                result => return Poll::Ready(result),
            }
        }
    }

    fn register(&mut self) -> io::Result<()> {
        let registrar = CURRENT
            .with(|current| current.get().map(Arc::clone))
            .ok_or_else(|| io::Error::other(NO_REACTOR))?;
        let readiness = Arc::new(Readiness::default());
        let key = registrar.sockets().insert(Arc::clone(&readiness));
        let both = Interest::READABLE | Interest::WRITABLE;
        let registered =
            registrar.registry.register(&mut self.inner, Token(key), both);
        if let Err(error) = registered {
            registrar.sockets().remove(key);
            return Err(error);
        }
        self.registration = Some(Registration { registrar, key, readiness });
        Ok(())
    }
}

const NO_REACTOR: &str =
    "this thread has no reactor: wait for sockets in a task of an Executor";

impl<S: Source> Drop for Socket<S> {
    fn drop(&mut self) {
        if let Some(Registration { registrar, key, .. }) = &self.registration {
            // Deregistering fails only if the socket isn't registered.
            // Closing the socket deregisters it in any case.
            let _ = registrar.registry.deregister(&mut self.inner);
            let readiness = registrar.sockets().remove(*key);
            // The entry may hold the last waker of a task. Dropping a task
            // can take the lock again, so the entry is dropped after the lock
            // is released.
            drop(readiness);
        }
    }
}
