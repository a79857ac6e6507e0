//! The reactor, which asks the kernel which sockets are ready. All threads
//! share one reactor, but only one thread at a time may use it and sleep
//! there.

use std::io::{self, ErrorKind};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::task::Waker;
use std::time::Duration;

use mio::{Events, Registry, Token};

use crate::sockets::Sockets;
use crate::timers::Timers;

/// The token of the event with which one thread wakes another that sleeps in
/// the reactor.
const INTERRUPT: Token = Token(usize::MAX);

/// The maximum number of events to fetch at once. The next call fetches the
/// rest.
const EVENTS: usize = 1024;

pub(crate) struct Reactor {
    driver: Mutex<Driver>,
    pub(crate) handle: Arc<Handle>,
}

/// The part of the reactor that asks the kernel for events. Only one thread
/// at a time may use it.
struct Driver {
    poll: mio::Poll,
    events: Events,
}

/// The part of the reactor that sockets and timers hold a reference to. It
/// may outlive the reactor.
pub(crate) struct Handle {
    pub(crate) registry: Registry,
    pub(crate) sockets: Sockets,
    pub(crate) timers: Timers,
    waker: mio::Waker,
}

/// A thread's right to use the reactor. Dropping this value gives the right
/// back.
pub(crate) struct Turn<'a> {
    driver: MutexGuard<'a, Driver>,
    handle: &'a Handle,
}

impl Reactor {
    /// # Errors
    ///
    /// If the system has no more file descriptors.
    pub(crate) fn new() -> io::Result<Self> {
        let poll = mio::Poll::new()?;
        let registry = poll.registry().try_clone()?;
        let waker = mio::Waker::new(&registry, INTERRUPT)?;
        let handle = Handle {
            registry,
            sockets: Sockets::default(),
            timers: Timers::default(),
            waker,
        };
        let events = Events::with_capacity(EVENTS);
        Ok(Reactor {
            driver: Mutex::new(Driver { poll, events }),
            handle: Arc::new(handle),
        })
    }

    /// Lets the calling thread use the reactor. Returns `None` if another
    /// thread is using it.
    pub(crate) fn try_turn(&self) -> Option<Turn<'_>> {
        match self.driver.try_lock() {
            Ok(driver) => Some(Turn { driver, handle: &self.handle }),
            Err(TryLockError::WouldBlock) => None,
            Err(TryLockError::Poisoned(_)) => {
                unreachable!("no task is woken during a turn")
            }
        }
    }

    /// Wakes the thread that sleeps in the reactor. If no thread sleeps
    /// there, the next sleep ends at once.
    pub(crate) fn interrupt(&self) {
        self.handle.interrupt();
    }
}

impl Handle {
    pub(crate) fn interrupt(&self) {
        self.waker.wake().expect("an event can be written to the reactor");
    }
}

impl Turn<'_> {
    /// Sleeps until a socket is ready, a timer is due or another thread
    /// interrupts the sleep. Adds the wakers of the tasks to wake to `woken`.
    /// May return early.
    pub(crate) fn wait(&mut self, woken: &mut Vec<Waker>) {
        let longest = self.handle.timers.fall_asleep();
        self.ask(longest, woken);
    }

    /// Adds the wakers of tasks that are ready to `woken`, without sleeping.
    pub(crate) fn look(&mut self, woken: &mut Vec<Waker>) {
        self.ask(Some(Duration::ZERO), woken);
    }

    fn ask(&mut self, timeout: Option<Duration>, woken: &mut Vec<Waker>) {
        let Driver { poll, events } = &mut *self.driver;
        match poll.poll(events, timeout) {
            Ok(()) => self.handle.sockets.tell(events, woken),
            // A signal interrupted the system call, so there are no events.
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => panic!("the reactor is open: {error}"),
        }
        self.handle.timers.due(woken);
    }
}
