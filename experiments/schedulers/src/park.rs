//! The hand-over between one worker that goes to sleep and those who have work
//! for it. The danger is that it looks for work, they queue some and see it
//! awake, and then it sleeps. So each side first writes and then looks:
//!
//! ```text
//! worker:  asleep = true;  look at the queue once more;  sleep if empty
//! others:  queue a task;   look at asleep;               wake it if true
//! ```
//!
//! Whoever looks last sees what the other has written; the fences are there
//! since neither the processor nor the compiler keeps that order by itself.

use crate::scheduling::Unpark;
use crate::sync::{fence, AtomicBool, Ordering};

/// Whether a worker sleeps, and how to wake it.
pub(crate) struct Sleeper {
    asleep: AtomicBool,
    unpark: Unpark,
}

impl Sleeper {
    pub(crate) fn new(unpark: Unpark) -> Self {
        Sleeper { asleep: AtomicBool::new(false), unpark }
    }

    /// The worker is about to sleep: it has to look for work once more.
    pub(crate) fn announce(&self) {
        self.asleep.store(true, Ordering::SeqCst);
        fence(Ordering::SeqCst);
    }

    /// The worker does not sleep, or not any more.
    pub(crate) fn awake(&self) {
        self.asleep.store(false, Ordering::SeqCst);
    }

    /// Wakes the worker if it sleeps: after something was queued for it. Of
    /// several threads only one makes the system call.
    pub(crate) fn wake(&self) {
        fence(Ordering::SeqCst);
        if self.asleep.load(Ordering::SeqCst)
            && self.asleep.swap(false, Ordering::SeqCst)
        {
            (self.unpark)();
        }
    }
}
