//! A byte goes back and forth through two pipes, between two threads or
//! within one.

/// Two threads pass a byte back and forth through two pipes.
pub mod threads {
    use std::io::{self, pipe, PipeReader, PipeWriter, Read, Write};
    use std::thread;

    /// The thread that writes each byte first. Its partner writes the byte
    /// back.
    pub struct Pair {
        there: PipeWriter,
        back: PipeReader,
    }

    impl Pair {
        /// Starts the partner thread, which first calls `first`, and ends
        /// when the pair is dropped.
        ///
        /// # Errors
        ///
        /// If the pipes can't be created.
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

        /// Writes `rounds` bytes to the partner, waiting for each to come
        /// back. Returns how many came back unchanged.
        ///
        /// # Errors
        ///
        /// If the partner thread has ended.
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

/// For comparison, one thread does the reads and writes of both threads: a
/// byte goes through both pipes, and no thread waits.
pub mod one_thread {
    use std::io::{self, pipe, PipeReader, PipeWriter, Read, Write};

    /// Two pipes, and both ends of each.
    pub struct Pipes {
        there: (PipeReader, PipeWriter),
        back: (PipeReader, PipeWriter),
    }

    impl Pipes {
        /// Creates the pipes.
        ///
        /// # Errors
        ///
        /// If the pipes can't be created.
        pub fn new() -> io::Result<Pipes> {
            Ok(Pipes { there: pipe()?, back: pipe()? })
        }

        /// Sends `rounds` bytes through both pipes. Returns how many arrived
        /// unchanged.
        ///
        /// # Errors
        ///
        /// If a pipe can't be read or written.
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
