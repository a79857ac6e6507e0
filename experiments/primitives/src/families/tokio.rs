//! Tokio's primitives.

use tokio::sync::{broadcast, mpsc, oneshot, watch};
use tokio::sync::{Barrier, Mutex, Notify, OnceCell, RwLock, Semaphore};

use crate::family::Family;
use crate::primitive;

/// Tokio has every primitive except a channel that delivers each message to
/// only one of several receivers.
pub(super) fn family() -> Family {
    Family::new("tokio")
        .mutex::<Mutex<()>>()
        .rwlock::<RwLock<()>>()
        .semaphore::<Semaphore>()
        .channel::<Mpsc>()
        .oneshot::<Oneshot>()
        .broadcast::<Broadcast>()
        .watch::<Watch>()
        .oncecell::<OnceCell<u64>>()
        .barrier::<Barrier>()
        .notify::<Notify>()
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

struct Mpsc;

impl primitive::Channel for Mpsc {
    type Sender = mpsc::Sender<u64>;
    type Receiver = mpsc::Receiver<u64>;

    fn bounded(capacity: usize) -> (Self::Sender, Self::Receiver) {
        mpsc::channel(capacity)
    }

    fn try_send(sender: &Self::Sender, message: u64) -> bool {
        sender.try_send(message).is_ok()
    }

    fn try_recv(receiver: &mut Self::Receiver) -> Option<u64> {
        receiver.try_recv().ok()
    }
}

struct Oneshot;

impl primitive::Oneshot for Oneshot {
    type Sender = oneshot::Sender<u64>;
    type Receiver = oneshot::Receiver<u64>;

    fn new() -> (Self::Sender, Self::Receiver) {
        oneshot::channel()
    }

    fn send(sender: Self::Sender, message: u64) -> bool {
        sender.send(message).is_ok()
    }

    fn try_recv(receiver: &mut Self::Receiver) -> Option<u64> {
        receiver.try_recv().ok()
    }
}

struct Broadcast;

impl primitive::Broadcast for Broadcast {
    type Sender = broadcast::Sender<u64>;
    type Receiver = broadcast::Receiver<u64>;

    fn new(
        capacity: usize,
        receivers: usize,
    ) -> (Self::Sender, Vec<Self::Receiver>) {
        let sender = broadcast::Sender::new(capacity);
        let receivers = (0..receivers).map(|_| sender.subscribe()).collect();
        (sender, receivers)
    }

    fn try_send(sender: &Self::Sender, message: u64) -> bool {
        sender.send(message).is_ok()
    }

    fn try_recv(receiver: &mut Self::Receiver) -> Option<u64> {
        receiver.try_recv().ok()
    }
}

struct Watch;

impl primitive::Watch for Watch {
    type Sender = watch::Sender<u64>;
    type Receiver = watch::Receiver<u64>;

    fn new() -> (Self::Sender, Self::Receiver) {
        watch::channel(0)
    }

    fn send(sender: &Self::Sender, value: u64) -> bool {
        sender.send(value).is_ok()
    }

    fn look(receiver: &Self::Receiver) -> u64 {
        *receiver.borrow()
    }
}

impl primitive::OnceCell for OnceCell<u64> {
    fn new() -> Self {
        OnceCell::new()
    }

    fn set(&self, value: u64) -> bool {
        self.set(value).is_ok()
    }

    fn get(&self) -> Option<&u64> {
        self.get()
    }
}

impl primitive::Barrier for Barrier {
    fn new(tasks: usize) -> Self {
        Barrier::new(tasks)
    }

    async fn wait(&self) -> bool {
        self.wait().await.is_leader()
    }
}

impl primitive::Notify for Notify {
    fn new() -> Self {
        Notify::new()
    }

    async fn notify_and_take(&self) {
        self.notify_one();
        self.notified().await;
    }
}
