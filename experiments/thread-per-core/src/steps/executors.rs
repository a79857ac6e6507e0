//! A common interface for the executors that experiment `steps` compares.

use std::future::Future;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{mpsc, Arc};

use futures_lite::future::zip;
use runtimes::tokio::{CURRENT_THREAD, MULTI_THREAD};
use runtimes::Runtime;
use schedulers::steps::{parking, queue, reactor, stealing};
use schedulers::Policy;

/// The number of workers of each executor that has several.
pub(super) const WORKERS: usize = 2;

/// Port 0 of the loopback interface: the system picks a free port.
const LOOPBACK: (Ipv4Addr, u16) = (Ipv4Addr::LOCALHOST, 0);

pub(super) trait Executor: Clone + Send + Sync + 'static {
    /// Spawns a task from within another task.
    fn spawn<F>(
        &self,
        future: F,
    ) -> impl Future<Output = F::Output> + Send + 'static
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static;

    fn run<F>(&self, root: F) -> F::Output
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static;
}

pub(super) trait Sockets: Executor {
    type Stream: Stream + 'static;

    fn pair(
        &self,
    ) -> impl Future<Output = io::Result<(Self::Stream, Self::Stream)>> + Send;
}

pub(super) trait Stream: Send {
    /// Reads the available bytes, and returns their number, which is 0 at the
    /// end of the stream.
    fn read(
        &mut self,
        buffer: &mut [u8],
    ) -> impl Future<Output = io::Result<usize>> + Send;

    fn write_all(
        &mut self,
        bytes: &[u8],
    ) -> impl Future<Output = io::Result<()>> + Send;
}

/// Implements [`Stream`] for a type, by calling the functions with the given
/// paths.
macro_rules! stream {
    ($stream:ty, $read:path, $write_all:path) => {
        impl Stream for $stream {
            async fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                $read(self, buffer).await
            }

            async fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
                $write_all(self, bytes).await
            }
        }
    };
}

stream!(
    reactor::TcpStream,
    reactor::TcpStream::read,
    reactor::TcpStream::write_all
);
stream!(
    stealing::TcpStream,
    stealing::TcpStream::read,
    stealing::TcpStream::write_all
);
stream!(
    schedulers::TcpStream,
    futures_lite::AsyncReadExt::read,
    futures_lite::AsyncWriteExt::write_all
);
stream!(
    tokio::net::TcpStream,
    tokio::io::AsyncReadExt::read,
    tokio::io::AsyncWriteExt::write_all
);

/// Implements [`Executor`] for an executor whose only thread is the caller of
/// `block_on`.
macro_rules! one_thread {
    ($executor:ty) => {
        impl Executor for $executor {
            fn spawn<F>(
                &self,
                future: F,
            ) -> impl Future<Output = F::Output> + Send + 'static
            where
                F: Future + Send + 'static,
                F::Output: Send + 'static,
            {
                self.spawn(future)
            }

            fn run<F>(&self, root: F) -> F::Output
            where
                F: Future + Send + 'static,
                F::Output: Send + 'static,
            {
                self.block_on(root)
            }
        }
    };
}

one_thread!(queue::Executor);
one_thread!(parking::Executor);
one_thread!(reactor::Executor);

impl Sockets for reactor::Executor {
    type Stream = reactor::TcpStream;

    async fn pair(&self) -> io::Result<(Self::Stream, Self::Stream)> {
        let mut listener = self.listen(LOOPBACK.into())?;
        let address = listener.local_addr()?;
        let (accepted, connected) =
            zip(listener.accept(), self.connect(address)).await;
        let (one, other) = (accepted?, connected?);
        one.set_nodelay(true)?;
        other.set_nodelay(true)?;
        Ok((one, other))
    }
}

/// The executor of the last step, whose workers live as long as its root
/// task.
#[derive(Clone)]
pub(super) struct Stealing;

impl Executor for Stealing {
    fn spawn<F>(
        &self,
        future: F,
    ) -> impl Future<Output = F::Output> + Send + 'static
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        stealing::spawn(future)
    }

    fn run<F>(&self, root: F) -> F::Output
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        stealing::block_on(WORKERS, root).expect("there are descriptors")
    }
}

impl Sockets for Stealing {
    type Stream = stealing::TcpStream;

    async fn pair(&self) -> io::Result<(Self::Stream, Self::Stream)> {
        let mut listener = stealing::TcpListener::bind(LOOPBACK.into())?;
        let address = listener.local_addr()?;
        let connect = stealing::TcpStream::connect(address);
        let (accepted, connected) = zip(listener.accept(), connect).await;
        let (one, other) = (accepted?, connected?);
        one.set_nodelay(true)?;
        other.set_nodelay(true)?;
        Ok((one, other))
    }
}

/// Our executor, from the crate `schedulers`. The steps lead up to it.
#[derive(Clone)]
pub(super) struct Ours(Arc<schedulers::Executor>);

impl Ours {
    pub(super) fn new(policy: Policy) -> Ours {
        let executor = schedulers::Executor::new(policy, WORKERS);
        Ours(Arc::new(executor.expect("there are descriptors")))
    }
}

impl Executor for Ours {
    fn spawn<F>(
        &self,
        future: F,
    ) -> impl Future<Output = F::Output> + Send + 'static
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let task = schedulers::spawn(future);
        async { task.await.expect("no task panics") }
    }

    fn run<F>(&self, root: F) -> F::Output
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        self.0.block_on(root)
    }
}

impl Sockets for Ours {
    type Stream = schedulers::TcpStream;

    async fn pair(&self) -> io::Result<(Self::Stream, Self::Stream)> {
        let (one, other) = connected()?;
        Ok((one.into(), other.into()))
    }
}

#[derive(Clone)]
pub(super) struct Tokio(Runtime);

impl Tokio {
    pub(super) const CURRENT_THREAD: Tokio = Tokio(CURRENT_THREAD);
    pub(super) const MULTI_THREAD: Tokio = Tokio(MULTI_THREAD);

    pub(super) const fn name(&self) -> &'static str {
        self.0.name()
    }
}

impl Executor for Tokio {
    fn spawn<F>(
        &self,
        future: F,
    ) -> impl Future<Output = F::Output> + Send + 'static
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let task = tokio::spawn(future);
        async { task.await.expect("no task panics") }
    }

    fn run<F>(&self, root: F) -> F::Output
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let (sender, answer) = mpsc::channel();
        self.0.run(Box::pin(async move {
            sender.send(root.await).expect("it is waited for");
        }));
        answer.recv().expect("the task has sent it")
    }
}

impl Sockets for Tokio {
    type Stream = tokio::net::TcpStream;

    async fn pair(&self) -> io::Result<(Self::Stream, Self::Stream)> {
        let (one, other) = connected()?;
        let from_std = tokio::net::TcpStream::from_std;
        Ok((from_std(one)?, from_std(other)?))
    }
}

/// Returns the two ends of a new TCP connection over loopback, in nonblocking
/// mode.
fn connected() -> io::Result<(std::net::TcpStream, std::net::TcpStream)> {
    let listener = std::net::TcpListener::bind(SocketAddr::from(LOOPBACK))?;
    let one = std::net::TcpStream::connect(listener.local_addr()?)?;
    let (other, _) = listener.accept()?;
    for stream in [&one, &other] {
        stream.set_nonblocking(true)?;
        stream.set_nodelay(true)?;
    }
    Ok((one, other))
}
