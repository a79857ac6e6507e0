//! Tokio's primitives.

use tokio::sync::{Mutex, RwLock, Semaphore};

use crate::family::Family;
use crate::primitive;

/// What Tokio has.
pub(super) fn family() -> Family {
    Family::new("tokio")
        .mutex::<Mutex<()>>()
        .rwlock::<RwLock<()>>()
        .semaphore::<Semaphore>()
}

impl primitive::Mutex for Mutex<()> {
    fn new() -> Self {
        Mutex::new(())
    }

    fn try_lock(&self) -> bool {
        self.try_lock().is_ok()
    }

    async fn lock(&self, work: impl FnOnce() + Send) {
        let _guard = self.lock().await;
        work();
    }
}

impl primitive::RwLock for RwLock<()> {
    fn new() -> Self {
        RwLock::new(())
    }

    fn try_read(&self) -> bool {
        self.try_read().is_ok()
    }

    fn try_write(&self) -> bool {
        self.try_write().is_ok()
    }

    async fn read(&self, work: impl FnOnce() + Send) {
        let _guard = self.read().await;
        work();
    }

    async fn write(&self, work: impl FnOnce() + Send) {
        let _guard = self.write().await;
        work();
    }
}

impl primitive::Semaphore for Semaphore {
    fn new(permits: usize) -> Self {
        Semaphore::new(permits)
    }

    fn try_acquire(&self) -> bool {
        self.try_acquire().is_ok()
    }

    async fn acquire(&self, work: impl FnOnce() + Send) {
        let _permit = self.acquire().await.expect("nobody closes it");
        work();
    }
}
