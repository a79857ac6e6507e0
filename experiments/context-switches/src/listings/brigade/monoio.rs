//! A line of Monoio tasks that pass a byte on through socket pairs. They use
//! epoll or io_uring, depending on how the runtime was built. The kernel owns
//! a buffer while it reads, so buffers are passed in and returned.

use std::io;

use monoio::io::{AsyncReadRent, AsyncReadRentExt, AsyncWriteRentExt};
use monoio::net::UnixStream;
use monoio::task::JoinHandle;

/// A task of the line: adds one to each byte and passes it on, until the
/// connection is closed. The byte therefore counts the tasks that it has
/// passed through.
pub async fn unit(mut from: UnixStream, mut to: UnixStream) -> io::Result<()> {
    let mut byte = Box::new([0]);
    loop {
        let (read, buffer) = from.read(byte).await;
        byte = buffer;
        if read? == 0 {
            return Ok(());
        }
        byte[0] = byte[0].wrapping_add(1);
        let (written, buffer) = to.write_all(byte).await;
        byte = buffer;
        written?;
    }
}

/// A line of tasks: its two ends, the buffer that they use, and the tasks
/// between them.
pub struct Line {
    first: UnixStream,
    last: UnixStream,
    buffer: Option<Box<[u8; 1]>>,
    units: Vec<JoinHandle<io::Result<()>>>,
}

impl Line {
    /// Creates a line of `units` tasks on the caller's runtime.
    pub fn new(units: u64) -> io::Result<Line> {
        let (first, mut last) = UnixStream::pair()?;
        let mut tasks = Vec::new();
        for _ in 0..units {
            let (to, next) = UnixStream::pair()?;
            let from = std::mem::replace(&mut last, next);
            tasks.push(monoio::spawn(unit(from, to)));
        }
        Ok(Line { first, last, buffer: None, units: tasks })
    }

    /// Sends `byte` through the line, and returns the byte that arrives at
    /// its end.
    pub async fn pass(&mut self, byte: u8) -> io::Result<u8> {
        let mut buffer = self.buffer.take().unwrap_or_default();
        buffer[0] = byte;
        let (written, buffer) = self.first.write_all(buffer).await;
        written?;
        let (read, buffer) = self.last.read_exact(buffer).await;
        read?;
        Ok(self.buffer.insert(buffer)[0])
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
