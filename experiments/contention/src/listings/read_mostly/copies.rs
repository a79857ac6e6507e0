//! A copy for each thread, and a version number that says whether it is still the
//! right one.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// The configuration that holds, and how often it has changed.
pub struct Current<T> {
    version: AtomicU64,
    config: Mutex<Arc<T>>,
}

/// What a thread has for itself.
pub struct Copy<'a, T> {
    current: &'a Current<T>,
    version: u64,
    config: Arc<T>,
}

impl<T> Current<T> {
    /// The first version.
    pub fn new(config: T) -> Current<T> {
        let config = Mutex::new(Arc::new(config));
        Current { version: AtomicU64::new(0), config }
    }

    /// A copy for a thread.
    pub fn copy(&self) -> Copy<'_, T> {
        let config = self.config.lock().expect("no one panics with it");
        // It changes under the lock only.
        let version = self.version.load(Ordering::Relaxed);
        Copy { current: self, version, config: Arc::clone(&config) }
    }

    /// Replaces the configuration.
    pub fn write(&self, new: T) {
        let mut config = self.config.lock().expect("no one panics with it");
        *config = Arc::new(new);
        self.version.fetch_add(1, Ordering::Release);
    }
}

impl<T> Copy<'_, T> {
    /// Looks something up, in another copy if there is a later version.
    pub fn read<Found>(&mut self, look: impl FnOnce(&T) -> Found) -> Found {
        if self.current.version.load(Ordering::Acquire) != self.version {
            *self = self.current.copy();
        }
        look(&self.config)
    }
}
