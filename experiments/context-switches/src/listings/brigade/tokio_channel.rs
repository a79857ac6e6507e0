//! A line of Tokio tasks over Tokio's channels, each of which has room for one
//! message. The kernel knows nothing of them.

use tokio::sync::mpsc::{channel, Receiver, Sender};
use tokio::task::{JoinError, JoinHandle};

/// A unit: passes on each message that comes, until none will come any more. It
/// adds one, so that a message tells how many units it has met.
pub async fn unit(mut from: Receiver<u8>, to: Sender<u8>) {
    while let Some(byte) = from.recv().await {
        to.send(byte.wrapping_add(1)).await.expect("the line has two ends");
    }
}

/// Both ends of a line, and its units.
pub struct Line {
    first: Sender<u8>,
    last: Receiver<u8>,
    units: Vec<JoinHandle<()>>,
}

impl Line {
    /// A line of so many units, in the runtime of the caller.
    pub fn new(units: u64) -> Line {
        let (first, mut last) = channel(1);
        let mut tasks = Vec::new();
        for _ in 0..units {
            let (to, next) = channel(1);
            let from = std::mem::replace(&mut last, next);
            tasks.push(tokio::spawn(unit(from, to)));
        }
        Line { first, last, units: tasks }
    }

    /// Sends a message through the line. There is none if the line has broken.
    pub async fn pass(&mut self, byte: u8) -> Option<u8> {
        self.first.send(byte).await.ok()?;
        self.last.recv().await
    }

    /// Closes the first end: the units end, one after the other.
    pub async fn end(self) -> Result<(), JoinError> {
        drop(self.first);
        for unit in self.units {
            unit.await?;
        }
        Ok(())
    }
}
