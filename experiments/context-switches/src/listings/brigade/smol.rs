//! A line of smol tasks that pass a byte on through socket pairs. The reactor
//! asks epoll which tasks can read.

use std::io;

use smol::io::{AsyncReadExt, AsyncWriteExt};
use smol::net::unix::UnixStream;
use smol::Task;

/// A task of the line: adds one to each byte and passes it on, until the
/// connection is closed. The byte therefore counts the tasks that it has
/// passed through.
pub async fn unit(mut from: UnixStream, mut to: UnixStream) -> io::Result<()> {
    let mut byte = [0];
    while from.read(&mut byte).await? > 0 {
        to.write_all(&[byte[0].wrapping_add(1)]).await?;
    }
    Ok(())
}

/// A line of tasks: its two ends, and the tasks between them.
pub struct Line {
    first: UnixStream,
    last: UnixStream,
    units: Vec<Task<io::Result<()>>>,
}

impl Line {
    /// Creates a line of `units` tasks on smol's global executor.
    pub fn new(units: u64) -> io::Result<Line> {
        let (first, mut last) = UnixStream::pair()?;
        let mut tasks = Vec::new();
        for _ in 0..units {
            let (to, next) = UnixStream::pair()?;
            let from = std::mem::replace(&mut last, next);
            tasks.push(smol::spawn(unit(from, to)));
        }
        Ok(Line { first, last, units: tasks })
    }

    /// Sends `byte` through the line, and returns the byte that arrives at
    /// its end.
    pub async fn pass(&mut self, byte: u8) -> io::Result<u8> {
        let mut passed = [0];
        self.first.write_all(&[byte]).await?;
        self.last.read_exact(&mut passed).await?;
        Ok(passed[0])
    }

    /// Closes the first end of the line, so that the tasks end one after the
    /// other, and waits for all of them.
    pub async fn end(self) -> io::Result<()> {
        drop(self.first);
        for unit in self.units {
            unit.await?;
        }
        Ok(())
    }
}
