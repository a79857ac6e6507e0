//! For comparison, one thread does every write and every read of a line. This
//! measures the cost of the transport without the cost of switching.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;

/// The two sockets that belong to one thread or task in the other lines: one
/// to read from, one to write to.
type Unit = (UnixStream, UnixStream);

/// The two ends of the line, and the sockets between them.
pub struct Line {
    first: UnixStream,
    last: UnixStream,
    units: Vec<Unit>,
}

impl Line {
    /// Creates the sockets of a line with `units` threads or tasks.
    pub fn new(units: u64) -> io::Result<Line> {
        let (first, mut last) = UnixStream::pair()?;
        let mut hops = Vec::new();
        for _ in 0..units {
            let (to, next) = UnixStream::pair()?;
            hops.push((std::mem::replace(&mut last, next), to));
        }
        Ok(Line { first, last, units: hops })
    }

    /// Sends `byte` through the line, and returns the byte that arrives at
    /// its end.
    pub fn pass(&mut self, byte: u8) -> io::Result<u8> {
        let mut passed = [0];
        self.first.write_all(&[byte])?;
        for (from, to) in &mut self.units {
            from.read_exact(&mut passed)?;
            to.write_all(&[passed[0].wrapping_add(1)])?;
        }
        self.last.read_exact(&mut passed)?;
        Ok(passed[0])
    }
}
