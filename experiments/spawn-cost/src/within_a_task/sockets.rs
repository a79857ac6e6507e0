//! Futures that wait for an answer from a server: each writes eight bytes on
//! its own connection, and reads them back. Connections stay open during a
//! measurement, so connecting isn't timed.

use std::future::Future;
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use tokio::io::AsyncWriteExt;
use tokio::net;
use tokio::runtime::Builder;

use super::ways::Way;

/// Connections to a server. The server's thread ends when all of them are
/// closed.
pub(super) struct Connections<Stream> {
    streams: Arc<Vec<Stream>>,
    server: JoinHandle<io::Result<()>>,
}

/// Opens connections for tasks, on a worker of the runtime that will use them.
pub(super) async fn for_tasks(units: u64) -> Connections<net::UnixStream> {
    let here = |stream: UnixStream| {
        stream.set_nonblocking(true)?;
        net::UnixStream::from_std(stream)
    };
    connections(units, here).expect("connections can be made")
}

pub(super) fn for_threads(units: u64) -> Connections<UnixStream> {
    connections(units, Ok).expect("connections can be made")
}

fn connections<Stream>(
    units: u64,
    here: impl Fn(UnixStream) -> io::Result<Stream>,
) -> io::Result<Connections<Stream>> {
    let mut theirs = Vec::new();
    let pairs = (0..units).map(|_| {
        let (ours, other) = UnixStream::pair()?;
        theirs.push(other);
        here(ours)
    });
    let streams = pairs.collect::<io::Result<Vec<_>>>()?;
    let server = thread::spawn(move || serve(theirs));
    Ok(Connections { streams: Arc::new(streams), server })
}

impl<Stream> Connections<Stream> {
    /// Closes the connections, and waits for the server to end.
    pub(super) fn close(self) {
        drop(self.streams);
        let served = self.server.join().expect("the server does not panic");
        served.expect("the server can read and write");
    }
}

impl Connections<net::UnixStream> {
    /// Sends a request on each connection, and adds up the answers.
    pub(super) fn ask(
        &self,
        way: impl Way,
    ) -> impl Future<Output = u64> + Send {
        let streams = Arc::clone(&self.streams);
        let futures = (0..streams.len())
            .map(move |id| ask(Arc::clone(&streams), id as u64));
        way.sum(futures)
    }
}

/// Sends a request on each connection, with one thread per connection, and
/// adds up the answers.
pub(super) fn ask_in_threads(connections: &Connections<UnixStream>) -> u64 {
    let streams = &connections.streams;
    let threads: Vec<_> = (0..streams.len() as u64)
        .map(|id| {
            let streams = Arc::clone(streams);
            thread::spawn(move || {
                let mut stream = &streams[id as usize];
                stream.write_all(&id.to_le_bytes())?;
                let mut answer = [0; 8];
                stream.read_exact(&mut answer)?;
                Ok::<_, io::Error>(u64::from_le_bytes(answer))
            })
        })
        .collect();
    let answers = threads.into_iter().map(|thread| {
        thread
            .join()
            .expect("the thread does not panic")
            .expect("it is answered")
    });
    answers.sum()
}

/// Sends `id` on the connection with that index, and returns the answer.
/// Eight bytes go through a Unix socket in one piece.
async fn ask(streams: Arc<Vec<net::UnixStream>>, id: u64) -> u64 {
    let stream = &streams[id as usize];
    stream.writable().await.expect("the runtime goes on");
    let written = stream.try_write(&id.to_le_bytes());
    assert!(matches!(written, Ok(8)), "it can't be asked: {written:?}");
    let mut answer = [0; 8];
    loop {
        stream.readable().await.expect("the runtime goes on");
        match stream.try_read(&mut answer) {
            Ok(8) => return u64::from_le_bytes(answer),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            other => panic!("no whole answer: {other:?}"),
        }
    }
}

/// Echoes all bytes received, until all connections are closed.
fn serve(connections: Vec<UnixStream>) -> io::Result<()> {
    let runtime = Builder::new_current_thread().enable_io().build()?;
    runtime.block_on(async {
        let converse = |connection: UnixStream| {
            connection.set_nonblocking(true)?;
            let mut connection = net::UnixStream::from_std(connection)?;
            let task = async move {
                let mut bytes = [0; 8];
                loop {
                    connection.readable().await?;
                    match connection.try_read(&mut bytes) {
                        Ok(0) => return Ok(()),
                        Ok(read) => {
                            connection.write_all(&bytes[..read]).await?;
                        }
                        Err(error)
                            if error.kind() == io::ErrorKind::WouldBlock => {}
                        Err(error) => return Err(error),
                    }
                }
            };
            Ok(tokio::spawn(task))
        };
        let tasks: io::Result<Vec<_>> =
            connections.into_iter().map(converse).collect();
        for task in tasks? {
            task.await.expect("no task panics")?;
        }
        Ok(())
    })
}
