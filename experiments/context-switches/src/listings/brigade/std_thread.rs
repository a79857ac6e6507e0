//! A line of threads that pass a byte on through socket pairs. Each thread
//! blocks in the kernel until the byte arrives.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::thread::{self, JoinHandle};

/// A thread of the line: adds one to each byte and passes it on, until the
/// connection is closed. The byte therefore counts the threads that it has
/// passed through.
pub fn unit(mut from: UnixStream, mut to: UnixStream) -> io::Result<()> {
    let mut byte = [0];
    while from.read(&mut byte)? > 0 {
        to.write_all(&[byte[0].wrapping_add(1)])?;
    }
    Ok(())
}

/// A line of threads: its two ends, and the threads between them.
pub struct Line {
    first: UnixStream,
    last: UnixStream,
    units: Vec<JoinHandle<io::Result<()>>>,
}

impl Line {
    /// Creates a line of `units` threads. Each thread first calls `prepare`
    /// with its position in the line.
    pub fn new(units: u64, prepare: fn(u64)) -> io::Result<Line> {
        let (first, mut last) = UnixStream::pair()?;
        let mut threads = Vec::new();
        for place in 0..units {
            let (to, next) = UnixStream::pair()?;
            let from = std::mem::replace(&mut last, next);
            threads.push(thread::spawn(move || {
                prepare(place);
                unit(from, to)
            }));
        }
        Ok(Line { first, last, units: threads })
    }

    /// Sends `byte` through the line, and returns the byte that arrives at
    /// its end.
    pub fn pass(&mut self, byte: u8) -> io::Result<u8> {
        let mut passed = [0];
        self.first.write_all(&[byte])?;
        self.last.read_exact(&mut passed)?;
        Ok(passed[0])
    }

    /// Closes the first end of the line, so that the threads end one after
    /// the other, and waits for all of them.
    pub fn end(self) -> io::Result<()> {
        drop(self.first);
        let mut units = self.units.into_iter();
        units.try_for_each(|unit| unit.join().expect("it does not panic"))
    }
}
