//! Primitives of the standard library. Tasks can use them without awaiting.

use std::sync::mpsc::{sync_channel, Receiver, SyncSender};
use std::sync::{Mutex, OnceLock, RwLock};

use crate::family::Family;
use crate::primitive;

/// The standard library's locks block a thread, which is acceptable for a
/// task if the lock is held only while adding one. The library's barrier and
/// its waiting channels are left out: they would block a worker that other
/// tasks need in order to end the wait.
pub(super) fn family() -> Family {
    Family::new("std")
        .mutex::<Mutex<()>>()
        .rwlock::<RwLock<()>>()
        .channel::<SyncChannel>()
        .oncecell::<OnceLock<u64>>()
}

impl primitive::Mutex for Mutex<()> {
    fn new() -> Self {
        Mutex::new(())
    }

    fn try_lock(&self) -> bool {
        self.try_lock().is_ok()
    }

    async fn lock(&self, work: impl FnOnce() + Send) {
        let _guard = self.lock().expect("no work panics");
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
        let _guard = self.read().expect("no work panics");
        work();
    }

    async fn write(&self, work: impl FnOnce() + Send) {
        let _guard = self.write().expect("no work panics");
        work();
    }
}

struct SyncChannel;

impl primitive::Channel for SyncChannel {
    type Sender = SyncSender<u64>;
    type Receiver = Receiver<u64>;

    fn bounded(capacity: usize) -> (Self::Sender, Self::Receiver) {
        sync_channel(capacity)
    }

    fn try_send(sender: &Self::Sender, message: u64) -> bool {
        sender.try_send(message).is_ok()
    }

    fn try_recv(receiver: &mut Self::Receiver) -> Option<u64> {
        receiver.try_recv().ok()
    }
}

impl primitive::OnceCell for OnceLock<u64> {
    fn new() -> Self {
        OnceLock::new()
    }

    fn set(&self, value: u64) -> bool {
        self.set(value).is_ok()
    }

    fn get(&self) -> Option<&u64> {
        self.get()
    }
}
