//! A mutex and a oneshot channel, from the crates futures-util and
//! futures-channel.

use futures_channel::oneshot;
use futures_util::lock::Mutex;

use crate::family::Family;
use crate::primitive;

/// The mutex and the oneshot channel of the `futures` crates. Their mpsc
/// channel is left out: its capacity grows by one message per sender.
pub(super) fn family() -> Family {
    Family::new("futures").mutex::<Mutex<()>>().oneshot::<Oneshot>()
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
        receiver.try_recv().ok().flatten()
    }
}
