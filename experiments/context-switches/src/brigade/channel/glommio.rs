//! A line of Glommio tasks over Glommio's channels for tasks of one thread, each
//! of which has room for one message. They need no atomics.

use glommio::channels::local_channel::{
    new_bounded, LocalReceiver, LocalSender,
};
use glommio::Task;

/// A unit: passes on each message that comes, until none will come any more. It
/// adds one, so that a message tells how many units it has met.
pub async fn unit(from: LocalReceiver<u8>, to: LocalSender<u8>) {
    while let Some(byte) = from.recv().await {
        to.send(byte.wrapping_add(1)).await.expect("the line has two ends");
    }
}

/// Both ends of a line, and its units.
pub struct Line {
    first: LocalSender<u8>,
    last: LocalReceiver<u8>,
    units: Vec<Task<()>>,
}

impl Line {
    /// A line of so many units, on the executor of the caller.
    pub fn new(units: u64) -> Line {
        let (first, mut last) = new_bounded(1);
        let mut tasks = Vec::new();
        for _ in 0..units {
            let (to, next) = new_bounded(1);
            let from = std::mem::replace(&mut last, next);
            tasks.push(glommio::spawn_local(unit(from, to)));
        }
        Line { first, last, units: tasks }
    }

    /// Sends a message through the line. There is none if the line has broken.
    pub async fn pass(&mut self, byte: u8) -> Option<u8> {
        self.first.send(byte).await.ok()?;
        self.last.recv().await
    }

    /// Closes the first end: the units end, one after the other.
    pub async fn end(self) {
        drop(self.first);
        for unit in self.units {
            unit.await;
        }
    }
}
