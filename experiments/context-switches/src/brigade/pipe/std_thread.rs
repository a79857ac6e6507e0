//! A line of threads over pipes. Each blocks in the kernel until a byte comes.

use std::io::{self, pipe, PipeReader, PipeWriter, Read, Write};
use std::thread::{self, JoinHandle};

/// A unit: passes on each byte that comes, until none will come any more. It
/// adds one, so that a byte tells how many units it has met.
pub fn unit(mut from: PipeReader, mut to: PipeWriter) -> io::Result<()> {
    let mut byte = [0];
    while from.read(&mut byte)? > 0 {
        to.write_all(&[byte[0].wrapping_add(1)])?;
    }
    Ok(())
}

/// Both ends of a line, and its units.
pub struct Line {
    first: PipeWriter,
    last: PipeReader,
    units: Vec<JoinHandle<io::Result<()>>>,
}

impl Line {
    /// A line of so many units.
    pub fn new(units: u64) -> io::Result<Line> {
        let (mut last, first) = pipe()?;
        let mut threads = Vec::new();
        for _ in 0..units {
            let (next, to) = pipe()?;
            let from = std::mem::replace(&mut last, next);
            threads.push(thread::spawn(move || unit(from, to)));
        }
        Ok(Line { first, last, units: threads })
    }

    /// Sends a byte through the line.
    pub fn pass(&mut self, byte: u8) -> io::Result<u8> {
        let mut passed = [0];
        self.first.write_all(&[byte])?;
        self.last.read_exact(&mut passed)?;
        Ok(passed[0])
    }

    /// Closes the first end: the units end, one after the other.
    pub fn end(self) -> io::Result<()> {
        drop(self.first);
        let mut units = self.units.into_iter();
        units.try_for_each(|unit| unit.join().expect("it does not panic"))
    }
}
