//! The hand-over between a worker that goes to sleep and threads that have
//! work for it. The danger is that the worker looks for work, another thread
//! queues some and sees the worker awake, and then the worker sleeps. So each
//! side first writes and then looks:
//!
//! ```text
//! worker:  asleep = true;  look at the queue once more;  sleep if empty
//! others:  queue a task;   look at asleep;               wake it if true
//! ```
//!
//! The side that looks last sees what the other has written. The fences are
//! needed because neither the processor nor the compiler keeps that order
//! otherwise.

use crate::scheduling::Unpark;
use crate::sync::{fence, AtomicBool, Ordering};

/// The state of a worker, asleep or not, and the function that wakes it.
pub(crate) struct Sleeper {
    asleep: AtomicBool,
    unpark: Unpark,
}

impl Sleeper {
    pub(crate) fn new(unpark: Unpark) -> Self {
        Sleeper { asleep: AtomicBool::new(false), unpark }
    }

    /// Announces that the worker is about to sleep. After this, the worker
    /// has to look for work once more.
    pub(crate) fn announce(&self) {
        self.asleep.store(true, Ordering::SeqCst);
        fence(Ordering::SeqCst);
    }

    /// Notes that the worker is awake.
    pub(crate) fn awake(&self) {
        self.asleep.store(false, Ordering::SeqCst);
    }

    /// Wakes the worker if it sleeps. Called after something was queued for
    /// the worker. If several threads call this, only one makes the system
    /// call.
    pub(crate) fn wake(&self) {
        fence(Ordering::SeqCst);
        if self.asleep.load(Ordering::SeqCst)
            && self.asleep.swap(false, Ordering::SeqCst)
        {
            (self.unpark)();
        }
    }
}
