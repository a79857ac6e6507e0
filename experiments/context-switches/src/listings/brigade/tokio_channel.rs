//! A line of Tokio tasks connected by Tokio channels with room for one message.
//! The kernel takes no part.

use tokio::sync::mpsc::{channel, Receiver, Sender};
use tokio::task::{JoinError, JoinHandle};

/// A unit: passes on each message until the channel is closed. It adds one to
/// the message, so the message counts the units on its way.
pub async fn unit(mut from: Receiver<u8>, to: Sender<u8>) {
    while let Some(byte) = from.recv().await {
        to.send(byte.wrapping_add(1)).await.expect("the line has two ends");
    }
}

/// A line: both ends and the units.
pub struct Line {
    first: Sender<u8>,
    last: Receiver<u8>,
    units: Vec<JoinHandle<()>>,
}

impl Line {
    /// Creates a line of `units` tasks on the caller's runtime.
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

    /// Sends a message through the line, and returns it as it arrives, or
    /// `None` if the line has broken.
    pub async fn pass(&mut self, byte: u8) -> Option<u8> {
        self.first.send(byte).await.ok()?;
        self.last.recv().await
    }

    /// Closes the first end, whereupon the units end one after the other.
    pub async fn end(self) -> Result<(), JoinError> {
        drop(self.first);
        for unit in self.units {
            unit.await?;
        }
        Ok(())
    }
}
