//! Two threads, or one, and two pipes between which a byte goes to and fro.

/// Two threads hand a byte to and fro through two pipes.
pub mod threads {
    use std::io::{self, pipe, PipeReader, PipeWriter, Read, Write};
    use std::thread;

    /// The thread that writes first; its partner writes back what it reads.
    pub struct Pair {
        there: PipeWriter,
        back: PipeReader,
    }

    impl Pair {
        /// Starts the partner, which does `first` before all else, and ends with
        /// the pair.
        ///
        /// # Errors
        ///
        /// If there can be no more pipes.
        pub fn start(
            first: impl FnOnce() + Send + 'static,
        ) -> io::Result<Pair> {
            let (mut arriving, there) = pipe()?;
            let (back, mut returning) = pipe()?;
            thread::spawn(move || {
                first();
                let mut byte = [0];
                while arriving.read_exact(&mut byte).is_ok() {
                    returning.write_all(&byte).expect("it is awaited");
                }
            });
            Ok(Pair { there, back })
        }

        /// Writes `rounds` bytes and waits for each to come back; returns how many
        /// came back as they were written.
        ///
        /// # Errors
        ///
        /// If the partner has ended.
        pub fn round_trips(&mut self, rounds: u64) -> io::Result<u64> {
            let (mut right, mut byte) = (0, [0]);
            for round in 0..rounds {
                self.there.write_all(&[round as u8])?;
                self.back.read_exact(&mut byte)?;
                right += u64::from(byte == [round as u8]);
            }
            Ok(right)
        }
    }
}

/// One thread reads and writes what the two of a pair would: a byte goes
/// through both pipes and back, and nobody waits.
pub mod one_thread {
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
}
