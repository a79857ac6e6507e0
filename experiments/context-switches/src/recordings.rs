//! Experiment `recordings`: one operation, step by step, as the kernel and the
//! program see it: `cargo run -r -p context-switches -- --record`. Runs do not
//! measure these cells.

use harness::{
    room_for_cores, Body, Cell, Experiment, Placement, RecordingPlan,
};
use runtimes::std_thread;

use crate::thread_pair::{pair, First, Pair};

mod contended_mutex;
mod echo_turn;
mod pipe_hop;
mod wake_up;

/// How many operations a batch has of what is recorded.
const ROUNDS: u64 = 50;

const STD: &str = std_thread::NAME;
const ONE: Placement = Placement::OneCore;
const TWO: Placement = Placement::Neighbours;

pub(crate) fn experiment() -> Experiment {
    Experiment::new("recordings", "time per operation", STD)
        .cells(pipe_hop::cells())
        .cells(wake_up::cells())
        .cell(contended_mutex::the_cell())
        .cells(echo_turn::cells())
}

/// A cell of two threads that take turns, each of which has so many of the
/// operations that are recorded.
fn cell(
    contender: &str,
    kernel: &str,
    placement: Placement,
    per_turn: u64,
    start: fn(First) -> Pair,
    plan: RecordingPlan,
) -> Cell {
    let body: Body = pair(placement, ROUNDS, start);
    Cell::new(contender, ROUNDS, body)
        .per(per_turn * ROUNDS)
        .parameter("kernel", kernel)
        .parameter("arm", "ours")
        .placement(placement)
        .needs(move || match placement {
            Placement::Neighbours => room_for_cores(2),
            Placement::OneCore | Placement::AllCores => Ok(()),
        })
        .recorded(plan)
}
