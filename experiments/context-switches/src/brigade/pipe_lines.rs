//! Lines of threads or tasks that pass a byte on through pipes. There is one
//! module per runtime.

/// For comparison, one thread does every write and every read of a line. This
/// measures the cost of the transport without the cost of switching.
pub mod one_thread {
    use std::io::{self, pipe, PipeReader, PipeWriter, Read, Write};

    /// The two pipe ends that belong to one thread or task in the other
    /// lines: one to read from, one to write to.
    type Unit = (PipeReader, PipeWriter);

    /// The two ends of the line, and the ends of all the pipes between them.
    pub struct Line {
        first: PipeWriter,
        last: PipeReader,
        units: Vec<Unit>,
    }

    impl Line {
        /// Creates the pipes of a line with `units` threads or tasks.
        pub fn new(units: u64) -> io::Result<Line> {
            let (mut last, first) = pipe()?;
            let mut hops = Vec::new();
            for _ in 0..units {
                let (next, to) = pipe()?;
                hops.push((std::mem::replace(&mut last, next), to));
            }
            Ok(Line { first, last, units: hops })
        }

        /// Sends `byte` through the line, and returns the byte that arrives
        /// at its end.
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
}

/// A line of threads that pass a byte on through pipes. Each thread blocks in
/// the kernel until the byte arrives.
pub mod std_thread {
    use std::io::{self, pipe, PipeReader, PipeWriter, Read, Write};
    use std::thread::{self, JoinHandle};

    /// A thread of the line: adds one to each byte and passes it on, until
    /// the connection is closed. The byte therefore counts the threads that
    /// it has passed through.
    pub fn unit(mut from: PipeReader, mut to: PipeWriter) -> io::Result<()> {
        let mut byte = [0];
        while from.read(&mut byte)? > 0 {
            to.write_all(&[byte[0].wrapping_add(1)])?;
        }
        Ok(())
    }

    /// A line of threads: its two ends, and the threads between them.
    pub struct Line {
        first: PipeWriter,
        last: PipeReader,
        units: Vec<JoinHandle<io::Result<()>>>,
    }

    impl Line {
        /// Creates a line of `units` threads.
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

        /// Sends `byte` through the line, and returns the byte that arrives
        /// at its end.
        pub fn pass(&mut self, byte: u8) -> io::Result<u8> {
            let mut passed = [0];
            self.first.write_all(&[byte])?;
            self.last.read_exact(&mut passed)?;
            Ok(passed[0])
        }

        /// Closes the first end of the line, so that the threads end one
        /// after the other, and waits for all of them.
        pub fn end(self) -> io::Result<()> {
            drop(self.first);
            let mut units = self.units.into_iter();
            units.try_for_each(|unit| unit.join().expect("it does not panic"))
        }
    }
}

/// A line of Tokio tasks that pass a byte on through pipes. The runtime asks
/// epoll which tasks can read.
pub mod tokio {
    use std::io;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::unix::pipe::{pipe, Receiver, Sender};
    use tokio::task::JoinHandle;

    /// A task of the line: adds one to each byte and passes it on, until the
    /// connection is closed. The byte therefore counts the tasks that it has
    /// passed through.
    pub async fn unit(mut from: Receiver, mut to: Sender) -> io::Result<()> {
        let mut byte = [0];
        while from.read(&mut byte).await? > 0 {
            to.write_all(&[byte[0].wrapping_add(1)]).await?;
        }
        Ok(())
    }

    /// A line of tasks: its two ends, and the tasks between them.
    pub struct Line {
        first: Sender,
        last: Receiver,
        units: Vec<JoinHandle<io::Result<()>>>,
    }

    impl Line {
        /// Creates a line of `units` tasks on the caller's runtime.
        pub fn new(units: u64) -> io::Result<Line> {
            let (first, mut last) = pipe()?;
            let mut tasks = Vec::new();
            for _ in 0..units {
                let (to, next) = pipe()?;
                let from = std::mem::replace(&mut last, next);
                tasks.push(tokio::spawn(unit(from, to)));
            }
            Ok(Line { first, last, units: tasks })
        }

        /// Sends `byte` through the line, and returns the byte that arrives
        /// at its end.
        pub async fn pass(&mut self, byte: u8) -> io::Result<u8> {
            let mut passed = [0];
            self.first.write_all(&[byte]).await?;
            self.last.read_exact(&mut passed).await?;
            Ok(passed[0])
        }

        /// Closes the first end of the line, so that the tasks end one after
        /// the other, and waits for all of them.
        pub async fn end(self) -> io::Result<()> {
            drop(self.first);
            for unit in self.units {
                unit.await??;
            }
            Ok(())
        }
    }
}

/// A line of smol tasks that pass a byte on through pipes. The reactor asks
/// epoll which tasks can read. The pipes are the standard library's, wrapped
/// in `Async`.
pub mod smol {
    use std::io::{self, PipeReader, PipeWriter};

    use smol::io::{AsyncReadExt, AsyncWriteExt};
    use smol::{Async, Task};

    /// A task of the line: adds one to each byte and passes it on, until the
    /// connection is closed. The byte therefore counts the tasks that it has
    /// passed through.
    pub async fn unit(
        mut from: Async<PipeReader>,
        mut to: Async<PipeWriter>,
    ) -> io::Result<()> {
        let mut byte = [0];
        while from.read(&mut byte).await? > 0 {
            to.write_all(&[byte[0].wrapping_add(1)]).await?;
        }
        Ok(())
    }

    /// A line of tasks: its two ends, and the tasks between them.
    pub struct Line {
        first: Async<PipeWriter>,
        last: Async<PipeReader>,
        units: Vec<Task<io::Result<()>>>,
    }

    /// Creates a pipe with ends that tasks can read and write without
    /// blocking the thread.
    fn pipe() -> io::Result<(Async<PipeReader>, Async<PipeWriter>)> {
        let (reader, writer) = io::pipe()?;
        Ok((Async::new(reader)?, Async::new(writer)?))
    }

    impl Line {
        /// Creates a line of `units` tasks on the global executor.
        pub fn new(units: u64) -> io::Result<Line> {
            let (mut last, first) = pipe()?;
            let mut tasks = Vec::new();
            for _ in 0..units {
                let (next, to) = pipe()?;
                let from = std::mem::replace(&mut last, next);
                tasks.push(smol::spawn(unit(from, to)));
            }
            Ok(Line { first, last, units: tasks })
        }

        /// Sends `byte` through the line, and returns the byte that arrives
        /// at its end.
        pub async fn pass(&mut self, byte: u8) -> io::Result<u8> {
            let mut passed = [0];
            self.first.write_all(&[byte]).await?;
            self.last.read_exact(&mut passed).await?;
            Ok(passed[0])
        }

        /// Closes the first end of the line, so that the tasks end one after
        /// the other, and waits for all of them.
        pub async fn end(self) -> io::Result<()> {
            drop(self.first);
            for unit in self.units {
                unit.await?;
            }
            Ok(())
        }
    }
}

/// A line of compio tasks that pass a byte on through pipes. They use
/// io_uring if the kernel supports it. The kernel owns a buffer while it
/// reads, so buffers are passed in and returned.
pub mod compio {
    use std::io;

    use compio::fs::pipe::{anonymous, Receiver, Sender};
    use compio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
    use compio::runtime::{spawn, JoinHandle};

    /// A task of the line: adds one to each byte and passes it on, until the
    /// connection is closed. The byte therefore counts the tasks that it has
    /// passed through.
    pub async fn unit(mut from: Receiver, mut to: Sender) -> io::Result<()> {
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
        first: Sender,
        last: Receiver,
        units: Vec<JoinHandle<io::Result<()>>>,
    }

    impl Line {
        /// Creates a line of `units` tasks on the caller's runtime.
        pub async fn new(units: u64) -> io::Result<Line> {
            let (mut last, first) = anonymous().await?;
            let mut tasks = Vec::new();
            for _ in 0..units {
                let (next, to) = anonymous().await?;
                let from = std::mem::replace(&mut last, next);
                tasks.push(spawn(unit(from, to)));
            }
            Ok(Line { first, last, units: tasks })
        }

        /// Sends `byte` through the line, and returns the byte that arrives
        /// at its end.
        pub async fn pass(&mut self, byte: u8) -> io::Result<u8> {
            let (written, buffer) = self.first.write_all([byte]).await.into();
            written?;
            let (read, [passed]) = self.last.read_exact(buffer).await.into();
            read.map(|()| passed)
        }

        /// Closes the first end of the line, so that the tasks end one after
        /// the other, and waits for all of them.
        pub async fn end(self) -> io::Result<()> {
            drop(self.first);
            for unit in self.units {
                unit.await.expect("it does not panic")?;
            }
            Ok(())
        }
    }
}
