//! A bell. One thread rings it to wake another thread that sleeps outside the
//! reactor.

use std::time::Instant;

use crate::sync::{Condvar, Mutex, MutexGuard};

/// Lets one thread sleep until another thread rings. If the ring comes first,
/// the thread doesn't sleep.
pub(crate) struct Bell {
    rung: Mutex<bool>,
    changed: Condvar,
}

impl Bell {
    pub(crate) fn new() -> Self {
        Bell { rung: Mutex::new(false), changed: Condvar::new() }
    }

    pub(crate) fn ring(&self) {
        *self.lock() = true;
        self.changed.notify_one();
    }

    pub(crate) fn sleep(&self) {
        let mut rung = self.lock();
        while !*rung {
            rung = self.changed.wait(rung).expect(NO_PANIC);
        }
        *rung = false;
    }

    /// Sleeps until the bell rings or until `time`. May return early.
    pub(crate) fn sleep_until(&self, time: Instant) {
        let mut rung = self.lock();
        let time = time.saturating_duration_since(Instant::now());
        if !*rung {
            rung = self.changed.wait_timeout(rung, time).expect(NO_PANIC).0;
        }
        *rung = false;
    }

    fn lock(&self) -> MutexGuard<'_, bool> {
        self.rung.lock().expect(NO_PANIC)
    }
}

const NO_PANIC: &str = "setting a flag does not panic";
