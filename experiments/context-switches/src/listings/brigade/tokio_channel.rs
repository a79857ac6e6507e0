//! A line of Tokio tasks connected by Tokio's channels with room for one
//! message. The kernel takes no part in passing a byte on.

use tokio::sync::mpsc::{channel, Receiver, Sender};
use tokio::task::{JoinError, JoinHandle};

/// A task of the line: adds one to each message and passes it on, until the
/// channel is closed. The message therefore counts the tasks that it has
/// passed through.
pub async fn unit(mut from: Receiver<u8>, to: Sender<u8>) {
    while let Some(byte) = from.recv().await {
        to.send(byte.wrapping_add(1)).await.expect("the line has two ends");
    }
}

/// A line of tasks: its two ends, and the tasks between them.
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

    /// Sends `byte` through the line. Returns the byte that arrives at its
    /// end, or `None` if the line has broken.
    pub async fn pass(&mut self, byte: u8) -> Option<u8> {
        self.first.send(byte).await.ok()?;
        self.last.recv().await
    }

    /// Closes the first end of the line, so that the tasks end one after the
    /// other, and waits for all of them.
    pub async fn end(self) -> Result<(), JoinError> {
        drop(self.first);
        for unit in self.units {
            unit.await?;
        }
        Ok(())
    }
}
