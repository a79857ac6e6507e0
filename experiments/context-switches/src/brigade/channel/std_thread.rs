//! A line of threads over the channels of the standard library, each of which
//! has room for one message.

use std::sync::mpsc::{sync_channel, Receiver, SyncSender};
use std::thread::{self, JoinHandle};

/// A unit: passes on each message that comes, until none will come any more. It
/// adds one, so that a message tells how many units it has met.
pub fn unit(from: Receiver<u8>, to: SyncSender<u8>) {
    for byte in from {
        to.send(byte.wrapping_add(1)).expect("the line has two ends");
    }
}

/// Both ends of a line, and its units.
pub struct Line {
    first: SyncSender<u8>,
    last: Receiver<u8>,
    units: Vec<JoinHandle<()>>,
}

impl Line {
    /// A line of so many units.
    pub fn new(units: u64) -> Line {
        let (first, mut last) = sync_channel(1);
        let mut threads = Vec::new();
        for _ in 0..units {
            let (to, next) = sync_channel(1);
            let from = std::mem::replace(&mut last, next);
            threads.push(thread::spawn(move || unit(from, to)));
        }
        Line { first, last, units: threads }
    }

    /// Sends a message through the line. There is none if the line has broken.
    pub fn pass(&mut self, byte: u8) -> Option<u8> {
        self.first.send(byte).ok()?;
        self.last.recv().ok()
    }

    /// Closes the first end: the units end, one after the other.
    pub fn end(self) -> thread::Result<()> {
        drop(self.first);
        self.units.into_iter().try_for_each(JoinHandle::join)
    }
}
