//! A line of Monoio tasks, on epoll or io_uring, as the runtime was built. The
//! kernel owns a buffer while it reads, so buffers are given and returned.

use std::io;

use monoio::io::{AsyncReadRent, AsyncReadRentExt, AsyncWriteRentExt};
use monoio::net::UnixStream;
use monoio::task::JoinHandle;

/// A unit: passes on each byte that comes, until none will come any more. It
/// adds one, so that a byte tells how many units it has met.
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

/// Both ends of a line, the buffer that they use, and its units.
pub struct Line {
    first: UnixStream,
    last: UnixStream,
    buffer: Option<Box<[u8; 1]>>,
    units: Vec<JoinHandle<io::Result<()>>>,
}

impl Line {
    /// A line of so many units, in the runtime of the caller.
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

    /// Sends a byte through the line.
    pub async fn pass(&mut self, byte: u8) -> io::Result<u8> {
        let mut buffer = self.buffer.take().unwrap_or_default();
        buffer[0] = byte;
        let (written, buffer) = self.first.write_all(buffer).await;
        written?;
        let (read, buffer) = self.last.read_exact(buffer).await;
        read?;
        Ok(self.buffer.insert(buffer)[0])
    }

    /// Closes the first end: the units end, one after the other.
    pub async fn end(self) -> io::Result<()> {
        drop(self.first);
        for unit in self.units {
            unit.await?;
        }
        Ok(())
    }
}
