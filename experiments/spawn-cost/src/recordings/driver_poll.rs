//! Shows how compio polls its I/O driver while a task is ready: with a
//! timeout of zero, for which the kernel sets a timer.

use compio::runtime::{spawn, Runtime};
use harness::{Body, Cell, Party, RecordingPlan};
use runtimes::compio::DEFAULT;
use tokio::sync::oneshot;

use super::first_core::on_the_first_core;

const TASKS: u64 = 50;

pub(super) fn the_cell() -> Cell {
    let body = Body::inside(on_the_first_core, chain);
    Cell::new(DEFAULT.name(), TASKS, body)
        .per(TASKS)
        .parameter("kernel", "driver")
        .parameter("arm", "ours")
        .needs(|| Runtime::new().map(drop).map_err(runtimes::no_ring))
        .recorded(plan())
}

fn plan() -> RecordingPlan {
    let worker = Party::Waker;
    let call = "io_uring_enter";
    let parties = ["worker", "another"];
    RecordingPlan::of("look", parties, "call", worker.enters(call))
        .until_perhaps("asleep", worker.sleeps())
        .until_perhaps("timer", worker.timer_interrupt())
        .until_perhaps("waking", worker.is_woken())
        .until_perhaps("running", worker.runs())
        .until("return", worker.returns_from(call))
        .apart()
}

/// Runs a chain of tasks, each of which spawns the next without awaiting it.
/// So only one task is ready at a time, and compio polls its I/O driver after
/// each.
fn chain() -> u64 {
    let runtime = Runtime::new().expect("compio can be started");
    let (sender, ended) = oneshot::channel();
    runtime.block_on(async {
        link(TASKS, sender);
        ended.await.expect("the last one says so")
    })
}

/// Spawns a chain of `left` tasks. The last one sends `TASKS`.
fn link(left: u64, ended: oneshot::Sender<u64>) {
    if left == 0 {
        ended.send(TASKS).expect("it is awaited");
    } else {
        spawn(async move { link(left - 1, ended) }).detach();
    }
}
