//! The traits that the compared primitives implement. Each library implements
//! them for its own types.

use std::future::Future;

/// A lock that one task at a time can hold.
pub trait Mutex: Send + Sync + 'static {
    /// Creates a mutex that nobody holds.
    fn new() -> Self;

    /// Takes and releases the lock. Returns `false` if the lock was already
    /// taken.
    fn try_lock(&self) -> bool;

    /// Waits for the lock, calls `work` and releases the lock.
    fn lock(
        &self,
        work: impl FnOnce() + Send,
    ) -> impl Future<Output = ()> + Send;
}

/// A lock that many readers or one writer can hold.
pub trait RwLock: Send + Sync + 'static {
    /// Creates a lock that nobody holds.
    fn new() -> Self;

    /// Takes and releases the read lock. Returns `false` if a writer held the
    /// lock.
    fn try_read(&self) -> bool;

    /// Takes and releases the write lock. Returns `false` if the lock was
    /// already taken.
    fn try_write(&self) -> bool;

    /// Waits for the read lock, calls `work` and releases the lock.
    fn read(
        &self,
        work: impl FnOnce() + Send,
    ) -> impl Future<Output = ()> + Send;

    /// Waits for the write lock, calls `work` and releases the lock.
    fn write(
        &self,
        work: impl FnOnce() + Send,
    ) -> impl Future<Output = ()> + Send;
}

/// A number of permits that tasks can take.
pub trait Semaphore: Send + Sync + 'static {
    /// Creates a semaphore with `permits` permits.
    fn new(permits: usize) -> Self;

    /// Takes a permit and gives it back. Returns `false` if none was available.
    fn try_acquire(&self) -> bool;

    /// Waits for a permit, calls `work` and gives the permit back.
    fn acquire(
        &self,
        work: impl FnOnce() + Send,
    ) -> impl Future<Output = ()> + Send;
}

/// A bounded channel with one receiver.
pub trait Channel: 'static {
    /// The sending end.
    type Sender: Send;
    /// The receiving end.
    type Receiver: Send;

    /// Creates a channel with room for `capacity` messages.
    fn bounded(capacity: usize) -> (Self::Sender, Self::Receiver);

    /// Sends a message. Returns `false` if the channel is full.
    fn try_send(sender: &Self::Sender, message: u64) -> bool;

    /// Receives a message, if there is one.
    fn try_recv(receiver: &mut Self::Receiver) -> Option<u64>;
}

/// A bounded channel with many senders and receivers, which are tasks that
/// wait for each other.
pub trait Mpmc: 'static {
    /// The sending end.
    type Sender: Clone + Send + Sync + 'static;
    /// The receiving end.
    type Receiver: Clone + Send + Sync + 'static;

    /// Creates a channel with room for `capacity` messages.
    fn bounded(capacity: usize) -> (Self::Sender, Self::Receiver);

    /// Waits until there is room for the message, then sends it.
    fn send(
        sender: &Self::Sender,
        message: u64,
    ) -> impl Future<Output = ()> + Send;

    /// Waits for a message. Returns `None` once all senders are gone.
    fn recv(
        receiver: &Self::Receiver,
    ) -> impl Future<Output = Option<u64>> + Send;
}

/// A channel for one message.
pub trait Oneshot: 'static {
    /// The sending end.
    type Sender: Send;
    /// The receiving end.
    type Receiver: Send;

    /// Creates a channel for one message.
    fn new() -> (Self::Sender, Self::Receiver);

    /// Sends the message. Returns `false` if the receiver is gone.
    fn send(sender: Self::Sender, message: u64) -> bool;

    /// Receives the message, if it has been sent.
    fn try_recv(receiver: &mut Self::Receiver) -> Option<u64>;
}

/// A channel that delivers each message to all receivers.
pub trait Broadcast: 'static {
    /// The sending end.
    type Sender: Send;
    /// The receiving end.
    type Receiver: Send;

    /// Creates a channel with room for `capacity` messages and with
    /// `receivers` receivers.
    fn new(
        capacity: usize,
        receivers: usize,
    ) -> (Self::Sender, Vec<Self::Receiver>);

    /// Sends a message to all receivers. Returns `false` if that fails.
    fn try_send(sender: &Self::Sender, message: u64) -> bool;

    /// Receives a message, if there is one.
    fn try_recv(receiver: &mut Self::Receiver) -> Option<u64>;
}

/// A channel that holds only the latest value.
pub trait Watch: 'static {
    /// The sending end.
    type Sender: Send;
    /// The receiving end, which reads the value.
    type Receiver: Send;

    /// Creates a channel that holds the value 0.
    fn new() -> (Self::Sender, Self::Receiver);

    /// Replaces the value. Returns `false` if there is no receiver.
    fn send(sender: &Self::Sender, value: u64) -> bool;

    /// Returns the current value.
    fn look(receiver: &Self::Receiver) -> u64;
}

/// A value that is set once.
pub trait OnceCell: Send + Sync + 'static {
    /// Creates an empty cell.
    fn new() -> Self;

    /// Sets the value. Returns `false` if it is already set.
    fn set(&self, value: u64) -> bool;

    /// Returns the value, if it is set.
    fn get(&self) -> Option<&u64>;
}

/// A point at which tasks wait until all have arrived.
pub trait Barrier: Send + Sync + 'static {
    /// Creates a barrier for `tasks` tasks.
    fn new(tasks: usize) -> Self;

    /// Waits until all tasks have arrived. Returns `true` in one of them, the
    /// leader, and `false` in the others.
    fn wait(&self) -> impl Future<Output = bool> + Send;
}

/// A notification that a task can wait for.
pub trait Notify: Send + Sync + 'static {
    /// Creates a notification that has not been sent.
    fn new() -> Self;

    /// Sends the notification, then receives it without waiting.
    fn notify_and_take(&self) -> impl Future<Output = ()> + Send;
}
