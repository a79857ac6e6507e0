//! A line of compio tasks that pass a byte on through socket pairs. They use
//! io_uring if the kernel supports it. The kernel owns a buffer while it
//! reads, so buffers are passed in and returned.

use std::io;
use std::os::unix::net::UnixStream as Socket;

use compio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use compio::net::UnixStream;
use compio::runtime::{spawn, JoinHandle};

/// A task of the line: adds one to each byte and passes it on, until the
/// connection is closed. The byte therefore counts the tasks that it has
/// passed through.
pub async fn unit(mut from: UnixStream, mut to: UnixStream) -> io::Result<()> {
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

/// A line of tasks: its two ends, and the tasks between them.
pub struct Line {
    first: UnixStream,
    last: UnixStream,
    units: Vec<JoinHandle<io::Result<()>>>,
}

/// Creates a socket pair for the caller's runtime.
fn pair() -> io::Result<(UnixStream, UnixStream)> {
    let (a, b) = Socket::pair()?;
    Ok((UnixStream::from_std(a)?, UnixStream::from_std(b)?))
}

impl Line {
    /// Creates a line of `units` tasks on the caller's runtime.
    pub fn new(units: u64) -> io::Result<Line> {
        let (first, mut last) = pair()?;
        let mut tasks = Vec::new();
        for _ in 0..units {
            let (to, next) = pair()?;
            let from = std::mem::replace(&mut last, next);
            tasks.push(spawn(unit(from, to)));
        }
        Ok(Line { first, last, units: tasks })
    }

    /// Sends `byte` through the line, and returns the byte that arrives at
    /// its end.
    pub async fn pass(&mut self, byte: u8) -> io::Result<u8> {
        let (written, buffer) = self.first.write_all([byte]).await.into();
        written?;
        let (read, [passed]) = self.last.read_exact(buffer).await.into();
        read.map(|()| passed)
    }

    /// Closes the first end of the line, so that the tasks end one after the
    /// other, and waits for all of them.
    pub async fn end(self) -> io::Result<()> {
        drop(self.first);
        for unit in self.units {
            unit.await.expect("it does not panic")?;
        }
        Ok(())
    }
}
