//! Two threads hand a number to and fro through two of `std`'s channels.

use std::sync::mpsc::{sync_channel, Receiver, SyncSender};
use std::thread;

/// The thread that sends first; its partner sends back what it is sent.
pub struct Pair {
    there: SyncSender<u64>,
    back: Receiver<u64>,
}

impl Pair {
    /// Starts the partner, which does `first` before all else, and ends with
    /// the pair.
    pub fn start(first: impl FnOnce() + Send + 'static) -> Pair {
        let (there, arriving) = sync_channel(1);
        let (returning, back) = sync_channel(1);
        thread::spawn(move || {
            first();
            for number in arriving {
                returning.send(number).expect("it is awaited");
            }
        });
        Pair { there, back }
    }

    /// Sends `rounds` numbers and waits for each to come back; returns how many
    /// came back as they were sent.
    pub fn round_trips(&self, rounds: u64) -> u64 {
        let mut right = 0;
        for number in 0..rounds {
            self.there.send(number).expect("the partner listens");
            right += u64::from(self.back.recv() == Ok(number));
        }
        right
    }
}
