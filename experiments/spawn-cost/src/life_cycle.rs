//! Experiment `life-cycle`: the time from spawning a task to receiving its
//! result. The spawner is a worker, or the thread that calls `block_on`.

use harness::{Body, Cell, Counter, Experiment, FreshTokio};
use runtimes::tokio::MULTI_THREAD;
use tokio::runtime::Builder;

/// The number of tasks or blocking calls in an operation. This is the
/// published batch size, and large enough that one call of `block_on` matters
/// little.
const UNITS: u64 = 100;

/// The number of workers in the published measurement.
const WORKERS: usize = 4;

pub(crate) fn experiment() -> Experiment {
    Experiment::new("life-cycle", "time per unit", MULTI_THREAD.name())
        .counting(&[Counter::Allocations, Counter::Bytes])
        .cells(Life::ALL.map(ours))
        .cells(Life::ALL.map(published))
        .cell(from_block_on(Life::One).full_only())
}

/// The kinds of work that a benchmark spawns and awaits, as named by the
/// parameter `kernel`.
#[derive(Clone, Copy)]
enum Life {
    One,
    Batch,
    Blocking,
}

impl Life {
    const ALL: [Life; 3] = [Life::One, Life::Batch, Life::Blocking];

    fn name(self) -> &'static str {
        match self {
            Life::One => "one",
            Life::Batch => "batch",
            Life::Blocking => "blocking",
        }
    }

    async fn on_tokio(self) -> u64 {
        match self {
            Life::One => tokio_one_by_one(UNITS).await,
            Life::Batch => tokio_batch(UNITS).await,
            Life::Blocking => blocking_one_by_one(UNITS).await,
        }
    }
}

fn cell(life: Life, arm: &str, body: Body) -> Cell {
    Cell::new(MULTI_THREAD.name(), (0..UNITS).sum(), body)
        .per(UNITS)
        .parameter("kernel", life.name())
        .parameter("units", UNITS as i64)
        .parameter("arm", arm)
        .in_sweep()
}

fn ours(life: Life) -> Cell {
    let body = match life {
        Life::Blocking => Body::task(FreshTokio, move || life.on_tokio()),
        Life::One | Life::Batch => {
            Body::task(MULTI_THREAD, move || life.on_tokio())
        }
    };
    cell(life, "ours", body)
}

/// The published measurement `volt.scheduling`: the future passed to
/// `block_on` spawns the tasks, on the calling thread, and there are four
/// workers on any machine. Each criterion run has its own runtime, so that
/// the threads left behind by blocking calls end with it.
fn published(life: Life) -> Cell {
    let body = Body::here(move || {
        let runtime = published_runtime();
        move || runtime.block_on(life.on_tokio())
    });
    cell(life, "as published", body.for_each_visit()).uncounted()
}

/// Like `published`, but with one worker per core instead of four.
fn from_block_on(life: Life) -> Cell {
    let body = Body::here(move || {
        let runtime = tokio::runtime::Runtime::new()
            .expect("a Tokio runtime can be built");
        move || runtime.block_on(life.on_tokio())
    });
    cell(life, "block_on", body).uncounted()
}

fn published_runtime() -> tokio::runtime::Runtime {
    let mut builder = Builder::new_multi_thread();
    let runtime = builder.worker_threads(WORKERS).enable_all().build();
    runtime.expect("a Tokio runtime can be built")
}

/// Spawns and awaits `tasks` tasks one after the other, and adds up their
/// ids.
async fn tokio_one_by_one(tasks: u64) -> u64 {
    let mut sum = 0;
    for id in 0..tasks {
        let task = tokio::spawn(async move { id });
        sum += task.await.expect("the task returns its id");
    }
    sum
}

/// Spawns `tasks` tasks that return their id, then awaits them in turn, and
/// adds up the ids.
async fn tokio_batch(tasks: u64) -> u64 {
    let mut spawned = Vec::with_capacity(tasks as usize);
    for id in 0..tasks {
        spawned.push(tokio::spawn(async move { id }));
    }
    let mut sum = 0;
    for task in spawned {
        sum += task.await.expect("the task returns its id");
    }
    sum
}

/// Makes `calls` calls on threads of the blocking pool, one after the other,
/// and adds up the results.
async fn blocking_one_by_one(calls: u64) -> u64 {
    let mut sum = 0;
    for id in 0..calls {
        let call = tokio::task::spawn_blocking(move || id);
        sum += call.await.expect("the call returns its id");
    }
    sum
}
