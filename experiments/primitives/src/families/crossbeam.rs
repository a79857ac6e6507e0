//! Crossbeam's channel.

use crossbeam_channel::{bounded, Receiver, Sender};

use crate::family::Family;
use crate::primitive;

/// Crossbeam's channel blocks a waiting thread, so tasks only use `try_send`
/// and `try_recv`.
pub(super) fn family() -> Family {
    Family::new("crossbeam").channel::<Channel>()
}

struct Channel;

impl primitive::Channel for Channel {
    type Sender = Sender<u64>;
    type Receiver = Receiver<u64>;

    fn bounded(capacity: usize) -> (Self::Sender, Self::Receiver) {
        bounded(capacity)
    }

    fn try_send(sender: &Self::Sender, message: u64) -> bool {
        sender.try_send(message).is_ok()
    }

    fn try_recv(receiver: &mut Self::Receiver) -> Option<u64> {
        receiver.try_recv().ok()
    }
}
