//! Experiment `task-benches`: Tokio's old scheduler benchmarks, with the
//! parameters of async-std's post.

use std::sync::mpsc;

use harness::{Body, Cell, Executor, Experiment, LocalExecutor};
use tokio::runtime::Builder;
use tokio::sync::mpsc::unbounded_channel;

#[cfg(feature = "async-std")]
use crate::pools::on_an_async_std_worker;

pub mod kernels;
mod runtimes;

use kernels::Runtime;
use runtimes::{Compio, CompioWoken, Glommio, Monoio, Smol, Tokio};

/// As published, on Tokio's side.
const WORKERS: usize = 6;

const MULTI_THREAD: Executor = Executor::TokioMultiThread;
const CURRENT_THREAD: Executor = Executor::TokioCurrentThread;

pub(crate) fn experiment() -> Experiment {
    Experiment::new(
        "task-benches",
        "time per operation",
        MULTI_THREAD.contender(),
    )
    .cells(Kernel::ALL.into_iter().flat_map(cells))
    .cell(compio_woken())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kernel {
    ChainedSpawn,
    PingPong,
    SpawnMany,
    YieldMany,
}

impl Kernel {
    const ALL: [Kernel; 4] = [
        Kernel::ChainedSpawn,
        Kernel::PingPong,
        Kernel::SpawnMany,
        Kernel::YieldMany,
    ];

    fn name(self) -> &'static str {
        match self {
            Kernel::ChainedSpawn => "chained_spawn",
            Kernel::PingPong => "ping_pong",
            Kernel::SpawnMany => "spawn_many",
            Kernel::YieldMany => "yield_many",
        }
    }

    /// Tasks, or pairs of tasks.
    fn units(self) -> u64 {
        match self {
            Kernel::ChainedSpawn | Kernel::PingPong => 1_000,
            Kernel::SpawnMany => 10_000,
            Kernel::YieldMany => 200,
        }
    }

    /// How often each task gives way.
    const YIELDS: u64 = 1_000;

    /// How many messages say that it is done.
    fn messages(self) -> u64 {
        match self {
            Kernel::YieldMany => self.units(),
            _ => 1,
        }
    }

    /// What the messages add up to.
    fn answer(self) -> u64 {
        match self {
            Kernel::YieldMany => self.units() * Kernel::YIELDS,
            _ => self.units(),
        }
    }

    /// Spawns its first tasks.
    fn start(
        self,
        runtime: impl Runtime,
        done: impl Fn(u64) + Clone + Send + 'static,
    ) {
        let units = self.units();
        match self {
            Kernel::ChainedSpawn => {
                kernels::chained_spawn(runtime, units, done);
            }
            Kernel::PingPong => kernels::ping_pong(runtime, units, done),
            Kernel::SpawnMany => kernels::spawn_many(runtime, units, done),
            Kernel::YieldMany => {
                kernels::yield_many(runtime, units, Kernel::YIELDS, done);
            }
        }
    }

    /// Ours: a task starts it, and awaits the messages.
    async fn run_in_a_task(self, runtime: impl Runtime) -> u64 {
        let (sender, mut messages) = unbounded_channel();
        self.start(runtime, move |message| {
            sender.send(message).expect("the messages are awaited");
        });
        let mut sum = 0;
        for _ in 0..self.messages() {
            sum += messages.recv().await.expect("a task sends it");
        }
        sum
    }

    /// As published: a thread that is no worker starts it, and blocks until the
    /// messages are there.
    fn run_from_outside(self, runtime: impl Runtime) -> u64 {
        let (sender, messages) = mpsc::sync_channel(1_000);
        self.start(runtime, move |message| {
            sender.send(message).expect("the messages are awaited");
        });
        messages.iter().take(self.messages() as usize).sum()
    }
}

fn cells(kernel: Kernel) -> Vec<Cell> {
    let on = |executor: Executor, body| {
        cell(kernel, executor.contender(), "ours", body)
    };
    let local = |executor: LocalExecutor, body| {
        cell(kernel, executor.contender(), "ours", body).full_only()
    };
    let multi_thread =
        Body::task(MULTI_THREAD, move || kernel.run_in_a_task(Tokio));
    let current_thread =
        Body::task(CURRENT_THREAD, move || kernel.run_in_a_task(Tokio));
    let smol = Body::task(Executor::Smol, move || kernel.run_in_a_task(Smol));
    let monoio = Body::local_task(LocalExecutor::MonoioIoUring, move || {
        kernel.run_in_a_task(Monoio)
    });
    let glommio = Body::local_task(LocalExecutor::Glommio, move || {
        kernel.run_in_a_task(Glommio)
    });
    let compio = Body::local_task(LocalExecutor::Compio, move || {
        kernel.run_in_a_task(Compio)
    });
    vec![
        on(MULTI_THREAD, multi_thread),
        on(CURRENT_THREAD, current_thread).full_only(),
        on(Executor::Smol, smol),
        local(LocalExecutor::MonoioIoUring, monoio),
        local(LocalExecutor::Glommio, glommio),
        local(LocalExecutor::Compio, compio),
        published(kernel),
        async_std(kernel, "ours").full_only(),
        async_std(kernel, "as published").full_only(),
    ]
}

/// What compio's chain is made of: it differs from ours in that each task wakes
/// the runtime.
fn compio_woken() -> Cell {
    let kernel = Kernel::ChainedSpawn;
    let compio = LocalExecutor::Compio;
    let body =
        Body::local_task(compio, move || kernel.run_in_a_task(CompioWoken));
    cell(kernel, compio.contender(), "woken", body).full_only()
}

fn cell(kernel: Kernel, contender: &str, arm: &str, body: Body) -> Cell {
    Cell::new(contender, kernel.answer(), body)
        .parameter("kernel", kernel.name())
        .parameter("arm", arm)
        .in_sweep()
}

/// Tokio's side of `async-std.tasks`: six workers, whatever the machine.
fn published(kernel: Kernel) -> Cell {
    let body = Body::here(move || {
        let mut builder = Builder::new_multi_thread();
        let runtime = builder.worker_threads(WORKERS).build();
        let runtime = runtime.expect("a Tokio runtime can be built");
        move || {
            let _entered = runtime.enter();
            kernel.run_from_outside(Tokio)
        }
    });
    let contender = MULTI_THREAD.contender();
    cell(kernel, contender, "as published", body).full_only()
}

#[cfg(feature = "async-std")]
fn async_std(kernel: Kernel, arm: &str) -> Cell {
    use runtimes::AsyncStd;
    let body = match arm {
        "ours" => Body::task_by(on_an_async_std_worker, move || {
            kernel.run_in_a_task(AsyncStd)
        }),
        _ => Body::here(move || move || kernel.run_from_outside(AsyncStd)),
    };
    cell(kernel, "async-std", arm, body)
}

#[cfg(not(feature = "async-std"))]
fn async_std(kernel: Kernel, arm: &str) -> Cell {
    let body = Body::here(|| || 0);
    cell(kernel, "async-std", arm, body)
        .needs(|| Err(crate::WITHOUT_ASYNC_STD.to_owned()))
}
