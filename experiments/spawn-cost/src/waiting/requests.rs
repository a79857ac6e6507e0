//! Threads and tasks that send a request on a connection and wait for the
//! answer. Each `request_on_each` makes one request on each connection, with
//! one thread or task per connection, and adds up the answers.

/// An operating-system thread that sends a request on its connection, and reads
/// until the answer is complete.
pub mod std_thread {
    use std::io::{self, Read, Write};
    use std::os::unix::net::UnixStream;
    use std::thread;

    /// Makes a request on each connection, with one thread per connection, and
    /// adds up the answers.
    pub fn request_on_each(connections: Vec<UnixStream>) -> io::Result<u64> {
        let threads: Vec<_> = (0..)
            .zip(connections)
            .map(|(id, connection)| {
                thread::spawn(move || request(connection, id))
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("the thread does not panic"))
            .sum()
    }

    fn request(mut connection: UnixStream, id: u64) -> io::Result<u64> {
        connection.write_all(&id.to_le_bytes())?;
        let mut answer = [0; 8];
        connection.read_exact(&mut answer)?;
        Ok(u64::from_le_bytes(answer))
    }
}

/// One thread sends all requests before it reads the first answer, without a
/// thread or task per request. The result is the time of the server and the
/// kernel alone.
pub mod one_thread {
    use std::io::{self, Read, Write};
    use std::os::unix::net::UnixStream;

    /// Makes a request on each connection, and adds up the answers.
    pub fn request_on_each(
        mut connections: Vec<UnixStream>,
    ) -> io::Result<u64> {
        for (id, connection) in (0u64..).zip(&mut connections) {
            connection.write_all(&id.to_le_bytes())?;
        }
        let mut sum = 0;
        for mut connection in connections {
            let mut answer = [0; 8];
            connection.read_exact(&mut answer)?;
            sum += u64::from_le_bytes(answer);
        }
        Ok(sum)
    }
}

/// Defines `request_on_each` for a runtime, given how to spawn a task and how
/// to handle the result of joining it.
macro_rules! request_on_each {
    ($spawn:path, [$($joined:tt)*]) => {
        /// Makes a request on each connection, with one task per connection,
        /// and adds up the answers.
        pub async fn request_on_each(
            connections: Vec<std::os::unix::net::UnixStream>,
        ) -> io::Result<u64> {
            let tasks: Vec<_> = (0..)
                .zip(connections)
                .map(|(id, connection)| $spawn(request(connection, id)))
                .collect();
            let mut sum = 0;
            for task in tasks {
                sum += task.await $($joined)*?;
            }
            Ok(sum)
        }
    };
}

/// A Tokio task that sends a request on its connection, and awaits the answer.
pub mod tokio {
    use std::io;
    use std::os::unix::net::UnixStream as Connection;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::UnixStream;

    request_on_each!(tokio::spawn, [?]);

    async fn request(connection: Connection, id: u64) -> io::Result<u64> {
        connection.set_nonblocking(true)?;
        let mut connection = UnixStream::from_std(connection)?;
        connection.write_all(&id.to_le_bytes()).await?;
        let mut answer = [0; 8];
        connection.read_exact(&mut answer).await?;
        Ok(u64::from_le_bytes(answer))
    }
}

/// A smol task that sends a request on its connection, and awaits the answer.
pub mod smol {
    use std::io;
    use std::os::unix::net::UnixStream;

    use smol::io::{AsyncReadExt, AsyncWriteExt};
    use smol::Async;

    request_on_each!(smol::spawn, []);

    async fn request(connection: UnixStream, id: u64) -> io::Result<u64> {
        let mut connection = Async::new(connection)?;
        connection.write_all(&id.to_le_bytes()).await?;
        let mut answer = [0; 8];
        connection.read_exact(&mut answer).await?;
        Ok(u64::from_le_bytes(answer))
    }
}

/// A Monoio task that sends a request on its connection, and awaits the answer.
/// The kernel owns the buffers during an operation, so they are passed in and
/// returned.
pub mod monoio {
    use std::io;
    use std::os::unix::net::UnixStream as Connection;

    use monoio::io::{AsyncReadRentExt, AsyncWriteRentExt};
    use monoio::net::UnixStream;

    request_on_each!(monoio::spawn, []);

    async fn request(connection: Connection, id: u64) -> io::Result<u64> {
        let mut connection = UnixStream::from_std(connection)?;
        let request = id.to_le_bytes().to_vec();
        let (sent, buffer) = connection.write_all(request).await;
        sent?;
        let (read, answer) = connection.read_exact(buffer).await;
        read?;
        Ok(u64::from_le_bytes(answer.try_into().expect("eight bytes")))
    }
}

/// A Glommio task that sends a request on its connection, and awaits the
/// answer.
pub mod glommio {
    use std::io;
    use std::os::fd::{FromRawFd, IntoRawFd};
    use std::os::unix::net;

    use futures_lite::{AsyncReadExt, AsyncWriteExt};
    use glommio::net::UnixStream;
    use glommio::spawn_local;

    request_on_each!(spawn_local, []);

    async fn request(connection: net::UnixStream, id: u64) -> io::Result<u64> {
        // SAFETY: the descriptor is an open socket, owned by nothing else. This
        // is the only way for Glommio to take over a Unix socket.
        let mut connection =
            unsafe { UnixStream::from_raw_fd(connection.into_raw_fd()) };
        connection.write_all(&id.to_le_bytes()).await?;
        let mut answer = [0; 8];
        connection.read_exact(&mut answer).await?;
        Ok(u64::from_le_bytes(answer))
    }
}

/// A compio task that sends a request on its connection, and awaits the answer.
/// The kernel owns the buffers during an operation, so they are passed in and
/// returned.
pub mod compio {
    use std::io;
    use std::os::unix::net::UnixStream as Connection;

    use compio::io::{AsyncReadExt, AsyncWriteExt};
    use compio::net::UnixStream;

    request_on_each!(compio::runtime::spawn, [.expect("the task does not panic")]);

    async fn request(connection: Connection, id: u64) -> io::Result<u64> {
        let mut connection = UnixStream::from_std(connection)?;
        let (sent, buffer) =
            connection.write_all(id.to_le_bytes()).await.into();
        sent?;
        let (read, answer) = connection.read_exact(buffer).await.into();
        read?;
        Ok(u64::from_le_bytes(answer))
    }
}
