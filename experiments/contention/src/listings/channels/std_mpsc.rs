//! Threads send numbers through `std`'s channel, and one thread receives them.

use std::ops::Range;
use std::sync::mpsc::{Receiver, Sender};

/// Sends `numbers` one by one.
pub fn send(sender: &Sender<u64>, numbers: Range<u64>) {
    for number in numbers {
        sender.send(number).expect("it is awaited");
    }
}

/// Receives `messages` numbers, and returns their sum.
pub fn receive(receiver: &Receiver<u64>, messages: u64) -> u64 {
    receiver.iter().take(messages as usize).sum()
}
