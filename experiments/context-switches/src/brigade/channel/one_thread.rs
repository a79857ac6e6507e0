//! No units at all: one thread does every send and every receive of a line of
//! channels. What is left is the transport, without a switch.

use std::sync::mpsc::{sync_channel, Receiver, SyncSender};

/// What would be a unit's: where it receives, and where it sends.
type Unit = (Receiver<u8>, SyncSender<u8>);

/// Both ends of a line, and what lies between.
pub struct Line {
    first: SyncSender<u8>,
    last: Receiver<u8>,
    units: Vec<Unit>,
}

impl Line {
    /// A line as if it had so many units.
    pub fn new(units: u64) -> Line {
        let (first, mut last) = sync_channel(1);
        let mut hops = Vec::new();
        for _ in 0..units {
            let (to, next) = sync_channel(1);
            hops.push((std::mem::replace(&mut last, next), to));
        }
        Line { first, last, units: hops }
    }

    /// Sends a message through the line. There is none if the line has broken.
    pub fn pass(&mut self, byte: u8) -> Option<u8> {
        self.first.send(byte).ok()?;
        for (from, to) in &self.units {
            to.send(from.recv().ok()?.wrapping_add(1)).ok()?;
        }
        self.last.recv().ok()
    }
}
