//! Experiment `block-on`: compares a future that runs on a worker with the
//! same future on the thread that calls `block_on`.

use harness::{Body, Cell, Counter, Experiment, Placement, ToAsync};
use runtimes::tokio::{CURRENT_THREAD, MULTI_THREAD};
use runtimes::Runtime;
use tokio::runtime::Builder;

use crate::listings::block_on::{outside, ping_pong};

/// The number of round trips, or tasks, in one operation of the benchmark. It
/// is large enough to make the call of `block_on` and the start of the other
/// task negligible.
const COUNT: u64 = 100;

pub(crate) fn experiment() -> Experiment {
    let cells = [Program::PingPong, Program::Spawn].into_iter().flat_map(cells);
    Experiment::new("block-on", "time per operation", MULTI_THREAD.name())
        .counting(&[Counter::ContextSwitches])
        .cells(cells)
}

#[derive(Clone, Copy, PartialEq)]
enum Program {
    PingPong,
    Spawn,
}

fn cells(program: Program) -> Vec<Cell> {
    let cell = |runtime: Runtime, arm: &str, placement, body| {
        let name = match program {
            Program::PingPong => "ping-pong",
            Program::Spawn => "spawn",
        };
        Cell::new(runtime.name(), program.answer(), body)
            .per(COUNT)
            .parameter("kernel", name)
            .parameter("arm", arm)
            .placement(placement)
    };
    let ours = |on: Runtime, placement| {
        let body = Body::task(on, move || program.run());
        cell(on, "ours", placement, body)
    };
    let block_on = |on: Runtime, placement| {
        let body = Body::here(move || {
            let runtime = build(on);
            move || outside::run(&runtime, program.run())
        });
        cell(on, "block_on", placement, body)
    };
    let to_async = Body::task(ToAsync, move || program.run());
    let to_async =
        cell(MULTI_THREAD, "to_async", Placement::AllCores, to_async);
    let mut cells = vec![
        ours(MULTI_THREAD, Placement::AllCores),
        block_on(MULTI_THREAD, Placement::AllCores),
        to_async,
    ];
    // Only one of the programs is measured in more detail, to find the cause
    // of the difference.
    if program == Program::PingPong {
        cells.extend([
            ours(MULTI_THREAD, Placement::OneCore),
            block_on(MULTI_THREAD, Placement::OneCore),
            ours(CURRENT_THREAD, Placement::AllCores).full_only(),
            block_on(CURRENT_THREAD, Placement::AllCores).full_only(),
        ]);
    }
    cells
}

impl Program {
    async fn run(self) -> u64 {
        match self {
            Program::PingPong => ping_pong::ping_pong(COUNT).await,
            Program::Spawn => spawn(COUNT).await,
        }
    }

    fn answer(self) -> u64 {
        match self {
            Program::PingPong => COUNT,
            Program::Spawn => (0..COUNT).sum(),
        }
    }
}

/// Builds a new Tokio runtime of the same flavour as `like`.
fn build(like: Runtime) -> tokio::runtime::Runtime {
    let mut builder = if like == CURRENT_THREAD {
        Builder::new_current_thread()
    } else {
        Builder::new_multi_thread()
    };
    builder.enable_all().build().expect("a Tokio runtime can be built")
}

/// Spawns `tasks` tasks, each after the previous one has ended. Returns the
/// sum of the ids that the tasks return.
async fn spawn(tasks: u64) -> u64 {
    let mut sum = 0;
    for id in 0..tasks {
        let task = tokio::spawn(async move { id });
        sum += task.await.expect("the task returns its id");
    }
    sum
}
