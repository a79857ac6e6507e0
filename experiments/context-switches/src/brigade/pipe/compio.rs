//! A line of compio tasks over pipes, on io_uring where there is one. The kernel
//! owns a buffer while it reads, so buffers are given and returned.

use std::io;

use compio::fs::pipe::{anonymous, Receiver, Sender};
use compio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use compio::runtime::{spawn, JoinHandle};

/// A unit: passes on each byte that comes, until none will come any more. It
/// adds one, so that a byte tells how many units it has met.
pub async fn unit(mut from: Receiver, mut to: Sender) -> io::Result<()> {
    let mut byte = [0];
    loop {
        let (read, [passed]) = from.read(byte).await.into();
        if read? == 0 {
            return Ok(());
        }
        byte = [passed.wrapping_add(1)];
        to.write_all(byte).await.0?;
    }
}

/// Both ends of a line, and its units.
pub struct Line {
    first: Sender,
    last: Receiver,
    units: Vec<JoinHandle<io::Result<()>>>,
}

impl Line {
    /// A line of so many units, in the runtime of the caller.
    pub async fn new(units: u64) -> io::Result<Line> {
        let (mut last, first) = anonymous().await?;
        let mut tasks = Vec::new();
        for _ in 0..units {
            let (next, to) = anonymous().await?;
            let from = std::mem::replace(&mut last, next);
            tasks.push(spawn(unit(from, to)));
        }
        Ok(Line { first, last, units: tasks })
    }

    /// Sends a byte through the line.
    pub async fn pass(&mut self, byte: u8) -> io::Result<u8> {
        let (written, buffer) = self.first.write_all([byte]).await.into();
        written?;
        let (read, [passed]) = self.last.read_exact(buffer).await.into();
        read.map(|()| passed)
    }

    /// Closes the first end: the units end, one after the other.
    pub async fn end(self) -> io::Result<()> {
        drop(self.first);
        for unit in self.units {
            unit.await.expect("it does not panic")?;
        }
        Ok(())
    }
}
