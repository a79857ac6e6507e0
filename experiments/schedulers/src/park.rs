//! Lets a worker go to sleep without missing a task. The danger: the worker
//! finds its queue empty, another thread queues a task and sees the worker
//! awake, and then the worker sleeps. So each side first writes and then
//! looks:
//!
//! ```text
//! worker:  asleep = true;  look at the queue once more;  sleep if empty
//! others:  queue a task;   look at asleep;               wake it if true
//! ```
//!
//! The side that looks last sees what the other one has written. Without the
//! fences, the processor or the compiler could change that order.

use crate::scheduling::Unpark;
use crate::sync::{fence, AtomicBool, Ordering};

pub(crate) struct Sleeper {
    asleep: AtomicBool,
    unpark: Unpark,
}

impl Sleeper {
    pub(crate) fn new(unpark: Unpark) -> Self {
        Sleeper { asleep: AtomicBool::new(false), unpark }
    }

    /// Announces that the worker is about to sleep. The worker must then
    /// check its queue once more.
    pub(crate) fn announce(&self) {
        self.asleep.store(true, Ordering::SeqCst);
        fence(Ordering::SeqCst);
    }

    pub(crate) fn awake(&self) {
        self.asleep.store(false, Ordering::SeqCst);
    }

    /// Wakes the worker if it sleeps. Call this after queueing a task for it.
    /// Of several concurrent calls, only one makes the system call.
    pub(crate) fn wake(&self) {
        fence(Ordering::SeqCst);
        if self.asleep.load(Ordering::SeqCst)
            && self.asleep.swap(false, Ordering::SeqCst)
        {
            (self.unpark)();
        }
    }
}
