//! `cargo bench -p schedulers`: our executors beside Tokio, each with two
//! workers, to see at once what a change costs. What the book says is measured
//! by its chapters, with more care.

use std::future::Future;
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::{criterion_group, criterion_main, Criterion};
use futures_lite::{AsyncReadExt, AsyncWriteExt};
use schedulers::steps::{parking, queue, reactor, stealing};
use schedulers::{Executor, Policy};

const WORKERS: usize = 2;

/// So many tasks are spawned and awaited.
const TASKS: u64 = 1000;

/// So many tasks hand a number on.
const RING: usize = 100;

/// So many connections have a message under way.
const CONNECTIONS: [usize; 3] = [1, 10, 100];

/// What can run tasks.
trait Tasks: Clone + Send + 'static {
    fn spawn<F>(
        &self,
        future: F,
    ) -> impl Future<Output = F::Output> + Send + 'static
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static;

    /// Runs a task on a worker.
    fn run<F>(&self, root: F) -> F::Output
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static;
}

/// What has sockets as well.
trait Sockets: Tasks {
    type Stream: Send + 'static;

    fn stream(stream: TcpStream) -> Self::Stream;

    fn read(
        stream: &mut Self::Stream,
        buffer: &mut [u8],
    ) -> impl Future<Output = usize> + Send;

    fn write(
        stream: &mut Self::Stream,
        bytes: &[u8],
    ) -> impl Future<Output = ()> + Send;
}

#[derive(Clone)]
struct Ours(Arc<Executor>);

impl Tasks for Ours {
    fn spawn<F>(
        &self,
        future: F,
    ) -> impl Future<Output = F::Output> + Send + 'static
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let task = schedulers::spawn(future);
        async { task.await.unwrap() }
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

    fn stream(stream: TcpStream) -> Self::Stream {
        stream.into()
    }

    async fn read(stream: &mut Self::Stream, buffer: &mut [u8]) -> usize {
        stream.read(buffer).await.unwrap()
    }

    async fn write(stream: &mut Self::Stream, bytes: &[u8]) {
        stream.write_all(bytes).await.unwrap();
    }
}

/// Pinned queues, with all tasks on the worker that they hand something on to.
#[derive(Clone)]
struct OnOneWorker(Arc<Executor>);

impl Tasks for OnOneWorker {
    fn spawn<F>(
        &self,
        future: F,
    ) -> impl Future<Output = F::Output> + Send + 'static
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let task = schedulers::spawn_on(0, future);
        async { task.await.unwrap() }
    }

    fn run<F>(&self, root: F) -> F::Output
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        self.0.block_on(async { schedulers::spawn_on(0, root).await.unwrap() })
    }
}

#[derive(Clone)]
struct Tokio(Arc<tokio::runtime::Runtime>);

impl Tasks for Tokio {
    fn spawn<F>(
        &self,
        future: F,
    ) -> impl Future<Output = F::Output> + Send + 'static
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let task = tokio::spawn(future);
        async { task.await.unwrap() }
    }

    fn run<F>(&self, root: F) -> F::Output
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        self.0.block_on(self.0.spawn(root)).unwrap()
    }
}

impl Sockets for Tokio {
    type Stream = tokio::net::TcpStream;

    fn stream(stream: TcpStream) -> Self::Stream {
        tokio::net::TcpStream::from_std(stream).unwrap()
    }

    async fn read(stream: &mut Self::Stream, buffer: &mut [u8]) -> usize {
        tokio::io::AsyncReadExt::read(stream, buffer).await.unwrap()
    }

    async fn write(stream: &mut Self::Stream, bytes: &[u8]) {
        tokio::io::AsyncWriteExt::write_all(stream, bytes).await.unwrap();
    }
}

/// A step of one thread, which is the one that calls `block_on`.
macro_rules! step {
    ($executor:ty) => {
        impl Tasks for $executor {
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

step!(queue::Executor);
step!(parking::Executor);
step!(reactor::Executor);

/// The last step.
#[derive(Clone)]
struct Stealing;

impl Tasks for Stealing {
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
        stealing::block_on(WORKERS, root).unwrap()
    }
}

async fn spawn(runtime: impl Tasks, batches: u64) -> Duration {
    let start = Instant::now();
    for _ in 0..batches {
        let tasks: Vec<_> =
            (0..TASKS).map(|id| runtime.spawn(async move { id })).collect();
        let mut sum = 0;
        for task in tasks {
            sum += task.await;
        }
        assert_eq!(sum, TASKS * (TASKS - 1) / 2);
    }
    start.elapsed()
}

async fn ring(runtime: impl Tasks, laps: u64) -> Duration {
    let (first, mut before) = async_channel::bounded(1);
    let mut tasks = Vec::new();
    for _ in 0..RING {
        let (sender, receiver) = async_channel::bounded(1);
        let from = std::mem::replace(&mut before, receiver);
        tasks.push(runtime.spawn(async move {
            while let Ok(number) = from.recv().await {
                sender.send(number).await.unwrap();
            }
        }));
    }
    let start = Instant::now();
    for lap in 0..laps {
        first.send(lap).await.unwrap();
        assert_eq!(before.recv().await.unwrap(), lap);
    }
    let took = start.elapsed();
    drop(first);
    for task in tasks {
        task.await;
    }
    took
}

/// Each connection has a task at both ends; the clock runs from the first
/// message to the last.
async fn echo<R: Sockets>(
    runtime: R,
    connections: usize,
    messages: u64,
) -> Duration {
    let (mut servers, mut clients) = (Vec::new(), Vec::new());
    let start = Instant::now();
    for _ in 0..connections {
        let (client, server) = connection();
        servers.push(runtime.spawn(async move {
            let mut stream = R::stream(server);
            let mut buffer = [0; 64];
            loop {
                match R::read(&mut stream, &mut buffer).await {
                    0 => return,
                    n => R::write(&mut stream, &buffer[..n]).await,
                }
            }
        }));
        clients.push(runtime.spawn(async move {
            let mut stream = R::stream(client);
            let mut buffer = [0; 8];
            // The first message sets the connection up.
            R::write(&mut stream, &[1; 8]).await;
            assert_eq!(R::read(&mut stream, &mut buffer).await, 8);
            let before = start.elapsed();
            for message in 0..messages {
                let sent = message.to_le_bytes();
                R::write(&mut stream, &sent).await;
                assert_eq!(R::read(&mut stream, &mut buffer).await, 8);
                assert_eq!(buffer, sent);
            }
            start.elapsed() - before
        }));
    }
    let mut longest = Duration::ZERO;
    for client in clients {
        longest = longest.max(client.await);
    }
    for server in servers {
        server.await;
    }
    longest
}

/// Two ends of a TCP connection, in nonblocking mode.
fn connection() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let one = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (other, _) = listener.accept().unwrap();
    for stream in [&one, &other] {
        stream.set_nonblocking(true).unwrap();
        stream.set_nodelay(true).unwrap();
    }
    (one, other)
}

fn measure_tasks(criterion: &mut Criterion, name: &str, runtime: &impl Tasks) {
    criterion.bench_function(&format!("spawn {TASKS}/{name}"), |bencher| {
        bencher.iter_custom(|batches| {
            runtime.run(spawn(runtime.clone(), batches))
        });
    });
    criterion.bench_function(&format!("ring of {RING}/{name}"), |bencher| {
        bencher.iter_custom(|laps| runtime.run(ring(runtime.clone(), laps)));
    });
}

fn measure(criterion: &mut Criterion, name: &str, runtime: &impl Sockets) {
    measure_tasks(criterion, name, runtime);
    for connections in CONNECTIONS {
        let id = format!("echo on {connections}/{name}");
        criterion.bench_function(&id, |bencher| {
            bencher.iter_custom(|messages| {
                runtime.run(echo(runtime.clone(), connections, messages))
            });
        });
    }
}

fn all(criterion: &mut Criterion) {
    let mut tokio = tokio::runtime::Builder::new_multi_thread();
    let tokio = tokio.worker_threads(WORKERS).enable_io().build().unwrap();
    measure(criterion, "tokio multi-thread", &Tokio(Arc::new(tokio)));
    for policy in Policy::ALL {
        let executor = Ours(Arc::new(Executor::new(policy, WORKERS).unwrap()));
        measure(criterion, policy.contender(), &executor);
    }
    let pinned = Executor::new(Policy::Pinned, WORKERS).unwrap();
    let name = "ours pinned, on one worker";
    measure_tasks(criterion, name, &OnOneWorker(Arc::new(pinned)));
    measure_tasks(criterion, "step 1, queue", &queue::Executor::new());
    measure_tasks(criterion, "step 2, parking", &parking::Executor::new());
    let reactor = reactor::Executor::new().unwrap();
    measure_tasks(criterion, "step 3, reactor", &reactor);
    measure_tasks(criterion, "step 4, stealing", &Stealing);
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2));
    targets = all
}
criterion_main!(benches);
