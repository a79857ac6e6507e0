//! A cell of two threads that is recorded.

use harness::{room_for_cores, Body, Cell, Placement, RecordingPlan};
use runtimes::std_thread;

use crate::thread_pair::{pair, First, Pair};

/// How many operations a batch has of what is recorded.
const ROUNDS: u64 = 50;

pub(super) const STD: &str = std_thread::NAME;
pub(super) const ONE: Placement = Placement::OneCore;
pub(super) const TWO: Placement = Placement::Neighbours;

/// A cell of two threads that take turns, each of which has so many of the
/// operations that are recorded.
pub(super) fn cell(
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
