//! Locks, channels and other primitives from several crates of smol's family.

use async_broadcast::broadcast;
use async_lock::{Barrier, Mutex, OnceCell, RwLock, Semaphore};
use event_listener::Event;

use crate::family::Family;
use crate::primitive;

/// The smol crates that contain primitives are async-lock, async-channel,
/// async-broadcast and event-listener.
pub(super) fn family() -> Family {
    Family::new("smol")
        .mutex::<Mutex<()>>()
        .rwlock::<RwLock<()>>()
        .semaphore::<Semaphore>()
        .channel::<Channel>()
        .mpmc::<Channel>()
        .broadcast::<Broadcast>()
        .oncecell::<OnceCell<u64>>()
        .barrier::<Barrier>()
        .notify::<Event>()
}

impl primitive::Mutex for Mutex<()> {
    fn new() -> Self {
        Mutex::new(())
    }

    fn try_lock(&self) -> bool {
        self.try_lock().is_some()
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
        self.try_read().is_some()
    }

    fn try_write(&self) -> bool {
        self.try_write().is_some()
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
        self.try_acquire().is_some()
    }

    async fn acquire(&self, work: impl FnOnce() + Send) {
        let _permit = self.acquire().await;
        work();
    }
}

struct Channel;

impl primitive::Channel for Channel {
    type Sender = async_channel::Sender<u64>;
    type Receiver = async_channel::Receiver<u64>;

    fn bounded(capacity: usize) -> (Self::Sender, Self::Receiver) {
        async_channel::bounded(capacity)
    }

    fn try_send(sender: &Self::Sender, message: u64) -> bool {
        sender.try_send(message).is_ok()
    }

    fn try_recv(receiver: &mut Self::Receiver) -> Option<u64> {
        receiver.try_recv().ok()
    }
}

impl primitive::Mpmc for Channel {
    type Sender = async_channel::Sender<u64>;
    type Receiver = async_channel::Receiver<u64>;

    fn bounded(capacity: usize) -> (Self::Sender, Self::Receiver) {
        async_channel::bounded(capacity)
    }

    async fn send(sender: &Self::Sender, message: u64) {
        sender.send(message).await.expect("there are receivers");
    }

    async fn recv(receiver: &Self::Receiver) -> Option<u64> {
        receiver.recv().await.ok()
    }
}

struct Broadcast;

impl primitive::Broadcast for Broadcast {
    type Sender = async_broadcast::Sender<u64>;
    type Receiver = async_broadcast::Receiver<u64>;

    fn new(
        capacity: usize,
        receivers: usize,
    ) -> (Self::Sender, Vec<Self::Receiver>) {
        let (sender, first) = broadcast(capacity);
        let others = (1..receivers).map(|_| first.clone());
        let mut all: Vec<_> = others.collect();
        all.push(first);
        (sender, all)
    }

    fn try_send(sender: &Self::Sender, message: u64) -> bool {
        sender.try_broadcast(message).is_ok()
    }

    fn try_recv(receiver: &mut Self::Receiver) -> Option<u64> {
        receiver.try_recv().ok()
    }
}

impl primitive::OnceCell for OnceCell<u64> {
    fn new() -> Self {
        OnceCell::new()
    }

    fn set(&self, value: u64) -> bool {
        self.try_set(value).is_ok()
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

/// An event doesn't remember a signal, so a task has to start listening
/// before the signal is sent.
impl primitive::Notify for Event {
    fn new() -> Self {
        Event::new()
    }

    async fn notify_and_take(&self) {
        let listener = self.listen();
        self.notify(1);
        listener.await;
    }
}
