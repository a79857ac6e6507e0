//! Echo servers on each runtime, with one task per connection. Their tasks
//! count how often they move, unlike those of the package thread-per-core.

use std::io;
use std::net::TcpListener;

use clap::ValueEnum;
use futures_lite::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use schedulers::{Executor, Policy};
use tokio::runtime::Builder;

use super::connection_task::ConnectionTask;
use super::move_counts::AllMoveCounts;
use super::touched_state::StateShape;

/// A runtime whose workers share a listener.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EchoRuntime {
    /// Tokio's multi-thread runtime.
    #[value(name = "tokio multi-thread")]
    Tokio,
    /// A smol executor that several threads run.
    #[value(name = "smol")]
    Smol,
    /// Our executor, with stealing workers.
    #[value(name = "ours stealing")]
    OursStealing,
    /// Our executor, in which each task stays on one worker.
    #[value(name = "ours pinned")]
    OursPinned,
}

impl EchoRuntime {
    pub(crate) const ALL: [EchoRuntime; 4] = [
        EchoRuntime::Tokio,
        EchoRuntime::Smol,
        EchoRuntime::OursStealing,
        EchoRuntime::OursPinned,
    ];

    /// Returns the name of this runtime in results.
    pub(crate) const fn contender(self) -> &'static str {
        match self {
            EchoRuntime::Tokio => "tokio multi-thread",
            EchoRuntime::Smol => "smol",
            EchoRuntime::OursStealing => Policy::Stealing.contender(),
            EchoRuntime::OursPinned => Policy::Pinned.contender(),
        }
    }
}

/// The parts of a server that are the same for every runtime.
pub(super) struct EchoService {
    pub(super) workers: usize,
    pub(super) listener: TcpListener,
    pub(super) counts: &'static AllMoveCounts,
    pub(super) state: StateShape,
}

impl EchoService {
    /// Runs the server on the calling thread and on the threads that the
    /// runtime starts. Returns only if serving fails.
    pub(super) fn run(self, runtime: EchoRuntime) -> io::Result<()> {
        match runtime {
            EchoRuntime::Tokio => self.on_tokio(),
            EchoRuntime::Smol => self.on_smol(),
            EchoRuntime::OursStealing => self.on_ours(Policy::Stealing),
            EchoRuntime::OursPinned => self.on_ours(Policy::Pinned),
        }
    }

    fn on_tokio(self) -> io::Result<()> {
        let EchoService { workers, listener, counts, state } = self;
        listener.set_nonblocking(true)?;
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(workers).enable_all();
        let runtime = builder.build()?;
        let serving = runtime.spawn(async move {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            loop {
                let (connection, _) = listener.accept().await?;
                // An error ends this connection, but not the server.
                tokio::spawn(async move {
                    let task = ConnectionTask::new(counts, state);
                    echo_by_tokio(connection, task).await
                });
            }
        });
        runtime.block_on(serving)?
    }

    fn on_smol(self) -> io::Result<()> {
        let EchoService { workers, listener, counts, state } = self;
        let executor = smol::Executor::new();
        let accept = async {
            let listener = smol::net::TcpListener::try_from(listener)?;
            loop {
                let (connection, _) = listener.accept().await?;
                connection.set_nodelay(true)?;
                let serve = async move {
                    let task = ConnectionTask::new(counts, state);
                    echo(connection, task).await
                };
                executor.spawn(serve).detach();
            }
        };
        std::thread::scope(|scope| {
            let executor = &executor;
            for _ in 1..workers {
                scope.spawn(|| {
                    smol::block_on(executor.run(smol::future::pending::<()>()));
                });
            }
            smol::block_on(executor.run(accept))
        })
    }

    fn on_ours(self, policy: Policy) -> io::Result<()> {
        let EchoService { workers, listener, counts, state } = self;
        let executor = Executor::new(policy, workers)?;
        loop {
            let (connection, _) = listener.accept()?;
            connection.set_nonblocking(true)?;
            connection.set_nodelay(true)?;
            drop(executor.spawn(async move {
                let connection = schedulers::TcpStream::from(connection);
                let task = ConnectionTask::new(counts, state);
                echo(connection, task).await
            }));
        }
    }
}

/// The size of a connection's buffer in bytes, as in the servers of
/// thread-per-core.
const BUFFER: usize = 16 * 1024;

async fn echo(
    mut connection: impl AsyncRead + AsyncWrite + Unpin,
    mut task: ConnectionTask,
) -> io::Result<()> {
    let mut buffer = vec![0; BUFFER];
    loop {
        let read = connection.read(&mut buffer).await?;
        if read == 0 {
            return Ok(());
        }
        task.handle(&mut buffer[..read]);
        connection.write_all(&buffer[..read]).await?;
    }
}

async fn echo_by_tokio(
    mut connection: tokio::net::TcpStream,
    mut task: ConnectionTask,
) -> io::Result<()> {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    connection.set_nodelay(true)?;
    let mut buffer = vec![0; BUFFER];
    loop {
        let read = connection.read(&mut buffer).await?;
        if read == 0 {
            return Ok(());
        }
        task.handle(&mut buffer[..read]);
        connection.write_all(&buffer[..read]).await?;
    }
}
