//! Experiment `task-benches`: Tokio's old scheduler benchmarks, with the
//! parameters of async-std's blog post.

use std::future::Future;
use std::sync::mpsc;

use harness::{Body, Cell, Experiment};
use runtimes::smol::GLOBAL as SMOL;
use runtimes::tokio::{CURRENT_THREAD, MULTI_THREAD};
use runtimes::{
    compio, glommio, monoio, ours, smol, tokio as tokio_tasks, Spawn,
};
use tokio::runtime::Builder;
use tokio::sync::mpsc::unbounded_channel;

pub mod benchmarks;

/// The number of Tokio's workers in the published measurement.
const WORKERS: usize = 6;

pub(crate) fn experiment() -> Experiment {
    Experiment::new("task-benches", "time per operation", MULTI_THREAD.name())
        .cells(Benchmark::ALL.into_iter().flat_map(cells))
        .cell(compio_woken())
        .cell(pinned_to_one_worker())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Benchmark {
    ChainedSpawn,
    PingPong,
    SpawnMany,
    YieldMany,
}

impl Benchmark {
    const ALL: [Benchmark; 4] = [
        Benchmark::ChainedSpawn,
        Benchmark::PingPong,
        Benchmark::SpawnMany,
        Benchmark::YieldMany,
    ];

    fn name(self) -> &'static str {
        match self {
            Benchmark::ChainedSpawn => "chained_spawn",
            Benchmark::PingPong => "ping_pong",
            Benchmark::SpawnMany => "spawn_many",
            Benchmark::YieldMany => "yield_many",
        }
    }

    /// Returns how many tasks there are, or for `PingPong`, how many pairs of
    /// tasks.
    fn units(self) -> u64 {
        match self {
            Benchmark::ChainedSpawn | Benchmark::PingPong => 1_000,
            Benchmark::SpawnMany => 10_000,
            Benchmark::YieldMany => 200,
        }
    }

    /// How many times each task of `YieldMany` yields.
    const YIELDS: u64 = 1_000;

    /// Returns the number of messages that report the end of tasks.
    fn messages(self) -> u64 {
        match self {
            Benchmark::YieldMany => self.units(),
            _ => 1,
        }
    }

    /// Returns the expected sum of the messages that tasks send when they
    /// end.
    fn answer(self) -> u64 {
        match self {
            Benchmark::YieldMany => self.units() * Benchmark::YIELDS,
            _ => self.units(),
        }
    }

    /// Starts the benchmark. `spawner` spawns its tasks. When tasks end,
    /// `done` receives the number of tasks or, for `YieldMany`, the number of
    /// yields.
    fn start(
        self,
        spawner: impl Spawn,
        done: impl Fn(u64) + Clone + Send + 'static,
    ) {
        let units = self.units();
        match self {
            Benchmark::ChainedSpawn => {
                benchmarks::chained_spawn(spawner, units, done);
            }
            Benchmark::PingPong => benchmarks::ping_pong(spawner, units, done),
            Benchmark::SpawnMany => {
                benchmarks::spawn_many(spawner, units, done)
            }
            Benchmark::YieldMany => {
                benchmarks::yield_many(spawner, units, Benchmark::YIELDS, done);
            }
        }
    }

    /// Our version of the benchmark: a task starts it, and awaits the
    /// messages.
    async fn run_in_a_task(self, spawner: impl Spawn) -> u64 {
        let (sender, mut messages) = unbounded_channel();
        self.start(spawner, move |message| {
            sender.send(message).expect("the messages are awaited");
        });
        let mut sum = 0;
        for _ in 0..self.messages() {
            sum += messages.recv().await.expect("a task sends it");
        }
        sum
    }

    /// The published version of the benchmark: a thread that isn't a worker
    /// starts it, and blocks until all messages have arrived.
    fn run_from_outside(self, spawner: impl Spawn) -> u64 {
        let (sender, messages) = mpsc::sync_channel(1_000);
        self.start(spawner, move |message| {
            sender.send(message).expect("the messages are awaited");
        });
        messages.iter().take(self.messages() as usize).sum()
    }
}

fn cells(benchmark: Benchmark) -> Vec<Cell> {
    /// Returns our version of the benchmark on `$runtime`. `$spawner` spawns
    /// its tasks.
    macro_rules! ours {
        ($runtime:expr, $spawner:expr) => {{
            let body =
                Body::task($runtime, move || benchmark.run_in_a_task($spawner));
            cell(benchmark, $runtime.name(), "ours", body)
        }};
    }
    vec![
        ours!(MULTI_THREAD, tokio_tasks::Spawner),
        ours!(CURRENT_THREAD, tokio_tasks::Spawner).full_only(),
        ours!(SMOL, smol::Spawner),
        ours!(ours::PINNED, ours::Spawner),
        ours!(ours::STEALING, ours::Spawner),
        ours!(monoio::IO_URING, monoio::Spawner).full_only(),
        ours!(glommio::UNBOUND, glommio::Spawner).full_only(),
        ours!(compio::DEFAULT, compio::Spawner).full_only(),
        published(benchmark),
        async_std(benchmark, "ours").full_only(),
        async_std(benchmark, "as published").full_only(),
    ]
}

/// Spawns a task on compio, and wakes the runtime. Without the wake-up,
/// compio polls its driver with a timeout of zero, for which the kernel sets
/// a timer.
#[derive(Clone, Copy)]
struct CompioWoken;

impl Spawn for CompioWoken {
    fn spawn(self, task: impl Future<Output = ()> + Send + 'static) {
        compio::Spawner.spawn(task);
        ::compio::runtime::Runtime::with_current(|runtime| {
            runtime.waker().wake();
        });
    }
}

/// Returns a benchmark that explains compio's time for the chain of tasks:
/// here, each task wakes the runtime.
fn compio_woken() -> Cell {
    let benchmark = Benchmark::ChainedSpawn;
    let body = Body::task(compio::DEFAULT, move || {
        benchmark.run_in_a_task(CompioWoken)
    });
    cell(benchmark, compio::DEFAULT.name(), "woken", body).full_only()
}

/// Spawns all tasks on one worker of our own executor.
#[derive(Clone, Copy)]
struct OnOneWorker;

impl Spawn for OnOneWorker {
    fn spawn(self, task: impl Future<Output = ()> + Send + 'static) {
        drop(schedulers::spawn_on(0, task));
    }
}

/// Returns a benchmark that explains the time of our pinned executor for the
/// chain of tasks. Normally, tasks are dealt out in turn, so that each runs
/// on a different worker from its spawner. Here, all tasks stay on one
/// worker.
fn pinned_to_one_worker() -> Cell {
    let benchmark = Benchmark::ChainedSpawn;
    let body =
        Body::task(ours::PINNED, move || benchmark.run_in_a_task(OnOneWorker));
    cell(benchmark, ours::PINNED.name(), "one worker", body)
}

fn cell(benchmark: Benchmark, contender: &str, arm: &str, body: Body) -> Cell {
    Cell::new(contender, benchmark.answer(), body)
        .parameter("kernel", benchmark.name())
        .parameter("arm", arm)
        .in_sweep()
}

/// The published measurement `async-std.tasks` on Tokio, with six workers on
/// any machine.
fn published(benchmark: Benchmark) -> Cell {
    let body = Body::here(move || {
        let mut builder = Builder::new_multi_thread();
        let runtime = builder.worker_threads(WORKERS).build();
        let runtime = runtime.expect("a Tokio runtime can be built");
        move || {
            let _entered = runtime.enter();
            benchmark.run_from_outside(tokio_tasks::Spawner)
        }
    });
    cell(benchmark, MULTI_THREAD.name(), "as published", body).full_only()
}

#[cfg(feature = "async-std")]
fn async_std(benchmark: Benchmark, arm: &str) -> Cell {
    use runtimes::async_std::{Spawner, GLOBAL};
    let body = match arm {
        "ours" => Body::task(GLOBAL, move || benchmark.run_in_a_task(Spawner)),
        _ => Body::here(move || move || benchmark.run_from_outside(Spawner)),
    };
    cell(benchmark, GLOBAL.name(), arm, body)
}

#[cfg(not(feature = "async-std"))]
fn async_std(benchmark: Benchmark, arm: &str) -> Cell {
    let body = Body::here(|| || 0_u64);
    cell(benchmark, "async-std", arm, body)
        .needs(|| Err(crate::left_out::ASYNC_STD.to_owned()))
}
