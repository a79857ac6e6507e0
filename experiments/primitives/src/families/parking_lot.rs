//! parking_lot's locks.

use parking_lot::{Mutex, RwLock};

use crate::family::Family;
use crate::primitive;

/// Like the standard library's locks, parking_lot's locks block a waiting
/// thread.
pub(super) fn family() -> Family {
    Family::new("parking_lot").mutex::<Mutex<()>>().rwlock::<RwLock<()>>()
}

impl primitive::Mutex for Mutex<()> {
    fn new() -> Self {
        Mutex::new(())
    }

    fn try_lock(&self) -> bool {
        self.try_lock().is_some()
    }

    async fn lock(&self, work: impl FnOnce() + Send) {
        let _guard = self.lock();
        work();
    }
}

impl primitive::RwLock for RwLock<()> {
    fn new() -> Self {
        RwLock::new(())
    }

    fn try_read(&self) -> bool {
        self.try_read().is_some()
    }

    fn try_write(&self) -> bool {
        self.try_write().is_some()
    }

    async fn read(&self, work: impl FnOnce() + Send) {
        let _guard = self.read();
        work();
    }

    async fn write(&self, work: impl FnOnce() + Send) {
        let _guard = self.write();
        work();
    }
}
