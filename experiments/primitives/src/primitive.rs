//! What a primitive has to do to take part. A family implements these for its own types.

use std::future::Future;

/// A lock that one task has at a time.
pub trait Mutex: Send + Sync + 'static {
    /// Makes one.
    fn new() -> Self;

    /// Takes the lock and gives it back. `false` if somebody has it.
    fn try_lock(&self) -> bool;

    /// Waits for the lock, works under it and gives it back.
    fn lock(
        &self,
        work: impl FnOnce() + Send,
    ) -> impl Future<Output = ()> + Send;
}

/// A lock that many readers have at a time, or one writer.
pub trait RwLock: Send + Sync + 'static {
    /// Makes one.
    fn new() -> Self;

    /// Takes the lock to read and gives it back. `false` if somebody writes.
    fn try_read(&self) -> bool;

    /// Takes the lock to write and gives it back. `false` if somebody has it.
    fn try_write(&self) -> bool;

    /// Waits for the lock, reads under it and gives it back.
    fn read(
        &self,
        work: impl FnOnce() + Send,
    ) -> impl Future<Output = ()> + Send;

    /// Waits for the lock, writes under it and gives it back.
    fn write(
        &self,
        work: impl FnOnce() + Send,
    ) -> impl Future<Output = ()> + Send;
}

/// A number of permits.
pub trait Semaphore: Send + Sync + 'static {
    /// Makes one.
    fn new(permits: usize) -> Self;

    /// Takes a permit and gives it back. `false` if there is none.
    fn try_acquire(&self) -> bool;

    /// Waits for a permit, works with it and gives it back.
    fn acquire(
        &self,
        work: impl FnOnce() + Send,
    ) -> impl Future<Output = ()> + Send;
}

/// A bounded channel with one receiver.
pub trait Channel: 'static {
    /// What sends.
    type Sender: Send;
    /// What receives.
    type Receiver: Send;

    /// Makes one for `capacity` messages.
    fn bounded(capacity: usize) -> (Self::Sender, Self::Receiver);

    /// Sends a message. `false` if the channel is full.
    fn try_send(sender: &Self::Sender, message: u64) -> bool;

    /// Receives a message, if there is one.
    fn try_recv(receiver: &mut Self::Receiver) -> Option<u64>;
}

/// A bounded channel with many senders and receivers, that wait for each other.
pub trait Mpmc: 'static {
    /// What sends.
    type Sender: Clone + Send + Sync + 'static;
    /// What receives.
    type Receiver: Clone + Send + Sync + 'static;

    /// Makes one for `capacity` messages.
    fn bounded(capacity: usize) -> (Self::Sender, Self::Receiver);

    /// Waits for room and sends a message.
    fn send(
        sender: &Self::Sender,
        message: u64,
    ) -> impl Future<Output = ()> + Send;

    /// Waits for a message. `None` once all senders are gone.
    fn recv(
        receiver: &Self::Receiver,
    ) -> impl Future<Output = Option<u64>> + Send;
}

/// A channel for one message.
pub trait Oneshot: 'static {
    /// What sends.
    type Sender: Send;
    /// What receives.
    type Receiver: Send;

    /// Makes one.
    fn new() -> (Self::Sender, Self::Receiver);

    /// Sends the message. `false` if nobody receives it.
    fn send(sender: Self::Sender, message: u64) -> bool;

    /// Receives the message, if it has been sent.
    fn try_recv(receiver: &mut Self::Receiver) -> Option<u64>;
}

/// A channel whose messages every receiver gets.
pub trait Broadcast: 'static {
    /// What sends.
    type Sender: Send;
    /// What receives.
    type Receiver: Send;

    /// Makes one for `capacity` messages, with so many receivers.
    fn new(
        capacity: usize,
        receivers: usize,
    ) -> (Self::Sender, Vec<Self::Receiver>);

    /// Sends a message to all receivers. `false` if it could not.
    fn try_send(sender: &Self::Sender, message: u64) -> bool;

    /// Receives a message, if there is one.
    fn try_recv(receiver: &mut Self::Receiver) -> Option<u64>;
}

/// A value of which receivers see the last.
pub trait Watch: 'static {
    /// What sends.
    type Sender: Send;
    /// What looks.
    type Receiver: Send;

    /// Makes one with the value 0.
    fn new() -> (Self::Sender, Self::Receiver);

    /// Puts a value in the place of the last. `false` if nobody looks.
    fn send(sender: &Self::Sender, value: u64) -> bool;

    /// Looks at the value.
    fn look(receiver: &Self::Receiver) -> u64;
}

/// A value that is set once.
pub trait OnceCell: Send + Sync + 'static {
    /// Makes an empty one.
    fn new() -> Self;

    /// Sets the value. `false` if it has one.
    fn set(&self, value: u64) -> bool;

    /// The value, if it has one.
    fn get(&self) -> Option<&u64>;
}

/// A point at which tasks wait until all are there.
pub trait Barrier: Send + Sync + 'static {
    /// Makes one for so many tasks.
    fn new(tasks: usize) -> Self;

    /// Waits for the others. One of them is told that it leads.
    fn wait(&self) -> impl Future<Output = bool> + Send;
}

/// A sign that something has happened.
pub trait Notify: Send + Sync + 'static {
    /// Makes one.
    fn new() -> Self;

    /// Gives the sign and takes it: whoever takes it does not have to wait.
    fn notify_and_take(&self) -> impl Future<Output = ()> + Send;
}
