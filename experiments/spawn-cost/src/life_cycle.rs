//! Experiment `life-cycle`: a task from its spawning to its result, from a
//! worker and from the thread of `block_on`.

use harness::{Body, Cell, Counter, Executor, Experiment};
use tokio::runtime::{Builder, Runtime};

pub mod batch;
pub mod blocking;
pub mod one;
pub mod smol;

/// The size of a batch, as published, and how many of the others an operation
/// has: so many that one `block_on` matters little.
const UNITS: u64 = 100;

/// As published.
const WORKERS: usize = 4;

const MULTI_THREAD: Executor = Executor::TokioMultiThread;
const CURRENT_THREAD: Executor = Executor::TokioCurrentThread;
const SMOL: Executor = Executor::Smol;

pub(crate) fn experiment() -> Experiment {
    let task = |executor, kernel: Kernel| {
        let body = match kernel {
            Kernel::Blocking => {
                Body::task_for_each_visit(move || kernel.on_tokio())
            }
            Kernel::One | Kernel::Batch => {
                Body::task(executor, move || kernel.on_tokio())
            }
        };
        cell(executor, kernel, "ours", body)
    };
    let smol_one = Body::task(SMOL, || smol::one_by_one(UNITS));
    let smol_batch = Body::task(SMOL, || smol::batch(UNITS));
    Experiment::new("life-cycle", "time per unit", MULTI_THREAD.contender())
        .counting(&[
            Counter::Allocations,
            Counter::Bytes,
            Counter::ContextSwitches,
            Counter::CpuTime,
        ])
        .cells(Kernel::ALL.map(|kernel| task(MULTI_THREAD, kernel)))
        .cells(Kernel::ALL.map(published))
        .cell(from_block_on(Kernel::One).full_only())
        .cell(task(CURRENT_THREAD, Kernel::One).full_only())
        .cell(task(CURRENT_THREAD, Kernel::Batch).full_only())
        .cell(cell(SMOL, Kernel::One, "ours", smol_one).full_only())
        .cell(cell(SMOL, Kernel::Batch, "ours", smol_batch).full_only())
}

#[derive(Clone, Copy)]
enum Kernel {
    One,
    Batch,
    Blocking,
}

impl Kernel {
    const ALL: [Kernel; 3] = [Kernel::One, Kernel::Batch, Kernel::Blocking];

    fn name(self) -> &'static str {
        match self {
            Kernel::One => "one",
            Kernel::Batch => "batch",
            Kernel::Blocking => "blocking",
        }
    }

    async fn on_tokio(self) -> u64 {
        match self {
            Kernel::One => one::one_by_one(UNITS).await,
            Kernel::Batch => batch::batch(UNITS).await,
            Kernel::Blocking => blocking::one_by_one(UNITS).await,
        }
    }
}

fn cell(executor: Executor, kernel: Kernel, arm: &str, body: Body) -> Cell {
    Cell::new(executor.contender(), (0..UNITS).sum(), body)
        .per(UNITS)
        .parameter("kernel", kernel.name())
        .parameter("units", UNITS as i64)
        .parameter("arm", arm)
        .in_sweep()
}

/// `volt.scheduling` as it was published: by the future that `block_on` runs on
/// the calling thread, on four workers whatever the machine. The runtime ends
/// with a visit, and with it the threads that blocking calls leave behind.
fn published(kernel: Kernel) -> Cell {
    let body = Body::here(move || {
        let runtime = published_runtime();
        move || runtime.block_on(kernel.on_tokio())
    });
    cell(MULTI_THREAD, kernel, "as published", body.for_each_visit())
}

/// The same on as many workers as ours has.
fn from_block_on(kernel: Kernel) -> Cell {
    let body = Body::here(move || {
        let runtime = Runtime::new().expect("a Tokio runtime can be built");
        move || runtime.block_on(kernel.on_tokio())
    });
    cell(MULTI_THREAD, kernel, "block_on", body)
}

fn published_runtime() -> Runtime {
    let mut builder = Builder::new_multi_thread();
    let runtime = builder.worker_threads(WORKERS).enable_all().build();
    runtime.expect("a Tokio runtime can be built")
}
