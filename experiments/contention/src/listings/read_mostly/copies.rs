//! One copy of the configuration per thread, with a version number that shows
//! whether the copy is up to date.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// The current configuration and its version. The version is the number of
/// changes so far.
pub struct Current<T> {
    version: AtomicU64,
    config: Mutex<Arc<T>>,
}

/// A copy of the configuration that belongs to one thread.
pub struct Copy<'a, T> {
    current: &'a Current<T>,
    version: u64,
    config: Arc<T>,
}

impl<T> Current<T> {
    /// Creates version 0 of the configuration.
    pub fn new(config: T) -> Current<T> {
        let config = Mutex::new(Arc::new(config));
        Current { version: AtomicU64::new(0), config }
    }

    /// Returns a copy of the configuration for one thread.
    pub fn copy(&self) -> Copy<'_, T> {
        let config = self.config.lock().expect("no one panics with it");
        // A relaxed load suffices, because the version changes only while the
        // lock is held.
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
    /// Calls `look` with the thread's copy. If a newer version exists,
    /// updates the copy first.
    pub fn read<Found>(&mut self, look: impl FnOnce(&T) -> Found) -> Found {
        if self.current.version.load(Ordering::Acquire) != self.version {
            *self = self.current.copy();
        }
        look(&self.config)
    }
}
