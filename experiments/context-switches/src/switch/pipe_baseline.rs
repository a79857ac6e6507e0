//! One thread reads and writes what the two of a pair would: a byte goes
//! through both pipes and back, and nobody waits.

use std::io::{self, pipe, PipeReader, PipeWriter, Read, Write};

/// Two pipes, with both their ends.
pub struct Pipes {
    there: (PipeReader, PipeWriter),
    back: (PipeReader, PipeWriter),
}

impl Pipes {
    /// Makes them.
    ///
    /// # Errors
    ///
    /// If there can be no more pipes.
    pub fn new() -> io::Result<Pipes> {
        Ok(Pipes { there: pipe()?, back: pipe()? })
    }

    /// Sends `rounds` bytes through both pipes; returns how many came back as
    /// they were written.
    ///
    /// # Errors
    ///
    /// If a pipe cannot be used.
    pub fn round_trips(&mut self, rounds: u64) -> io::Result<u64> {
        let (mut right, mut byte) = (0, [0]);
        for round in 0..rounds {
            self.there.1.write_all(&[round as u8])?;
            self.there.0.read_exact(&mut byte)?;
            self.back.1.write_all(&byte)?;
            self.back.0.read_exact(&mut byte)?;
            right += u64::from(byte == [round as u8]);
        }
        Ok(right)
    }
}
