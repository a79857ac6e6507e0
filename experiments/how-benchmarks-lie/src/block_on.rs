//! Experiment `block-on`: the same future on a worker, and on the thread that
//! calls `block_on`.

use harness::{Body, Cell, Counter, Executor, Experiment, Placement};
use tokio::runtime::{Builder, Runtime};

pub mod outside;
pub mod ping_pong;
pub mod spawn;

/// Round trips, or tasks, in one operation: so many that one `block_on`, and the
/// start of the partner, matter little.
const COUNT: u64 = 100;

const CURRENT_THREAD: Executor = Executor::TokioCurrentThread;
const MULTI_THREAD: Executor = Executor::TokioMultiThread;

pub(crate) fn experiment() -> Experiment {
    let cells = [Kernel::PingPong, Kernel::Spawn].into_iter().flat_map(cells);
    Experiment::new("block-on", "time per operation", MULTI_THREAD.contender())
        .counting(&[
            Counter::ContextSwitches,
            Counter::CpuTime,
            Counter::Migrations,
        ])
        .cells(cells)
}

#[derive(Clone, Copy)]
enum Kernel {
    PingPong,
    Spawn,
}

fn cells(kernel: Kernel) -> [Cell; 7] {
    let cell = |executor: Executor, arm: &str, placement, body| {
        let name = match kernel {
            Kernel::PingPong => "ping-pong",
            Kernel::Spawn => "spawn",
        };
        Cell::new(executor.contender(), kernel.answer(), body)
            .per(COUNT)
            .parameter("kernel", name)
            .parameter("arm", arm)
            .placement(placement)
    };
    let ours = |executor, placement| {
        let body = Body::task(executor, move || kernel.run());
        cell(executor, "ours", placement, body)
    };
    let block_on = |executor, placement| {
        let body = Body::here(move || {
            let runtime = runtime(executor);
            move || outside::run(&runtime, kernel.run())
        });
        cell(executor, "block_on", placement, body)
    };
    let to_async = Body::to_async(move || kernel.run());
    let to_async =
        cell(MULTI_THREAD, "to_async", Placement::AllCores, to_async);
    // Quick takes the cause apart for one kernel.
    let ablation = |cell: Cell| match kernel {
        Kernel::PingPong => cell,
        Kernel::Spawn => cell.full_only(),
    };
    [
        ours(MULTI_THREAD, Placement::AllCores),
        block_on(MULTI_THREAD, Placement::AllCores),
        to_async,
        ablation(ours(MULTI_THREAD, Placement::OneCore)),
        ablation(block_on(MULTI_THREAD, Placement::OneCore)),
        ours(CURRENT_THREAD, Placement::AllCores).full_only(),
        block_on(CURRENT_THREAD, Placement::AllCores).full_only(),
    ]
}

impl Kernel {
    async fn run(self) -> u64 {
        match self {
            Kernel::PingPong => ping_pong::ping_pong(COUNT).await,
            Kernel::Spawn => spawn::spawn(COUNT).await,
        }
    }

    fn answer(self) -> u64 {
        match self {
            Kernel::PingPong => COUNT,
            Kernel::Spawn => (0..COUNT).sum(),
        }
    }
}

/// As the harness builds those on which it runs tasks.
fn runtime(executor: Executor) -> Runtime {
    let mut builder = match executor {
        CURRENT_THREAD => Builder::new_current_thread(),
        _ => Builder::new_multi_thread(),
    };
    builder.enable_all().build().expect("a Tokio runtime can be built")
}
