//! Experiment `across`: two threads or tasks send a number back and forth
//! through channels. Both are on one core, or each has a core of its own that
//! is awake or asleep. An operation is `ROUNDS` round trips of two switches
//! each.
//!
//! A runtime with several workers chooses itself where its tasks run. To keep
//! tasks on separate cores, each belongs to a runtime with one thread.

use harness::{Body, Cell, Counter, Experiment, Placement, Spinners};
use runtimes::std_thread;
use runtimes::tokio::CURRENT_THREAD;

use crate::listings::across::two_runtimes;
use crate::switch::channels;
use crate::thread_pair::{pair, First, Pair};

const ROUNDS: u64 = 100;

pub(crate) fn experiment() -> Experiment {
    Experiment::new("across", "time per switch", std_thread::NAME)
        .counting(&[
            Counter::ContextSwitches,
            Counter::FutexCalls,
            Counter::WriteCalls,
            Counter::EpollWaitCalls,
        ])
        .cells(pairs(std_thread::NAME, "threads", threads))
        .cells(pairs(CURRENT_THREAD.name(), "two runtimes", tasks))
        .cell(one_runtime())
}

/// Creates three benchmarks for a pair of threads or tasks: on one core, on
/// two cores that sleep when idle, and on two that never sleep.
fn pairs(contender: &str, arm: &str, start: fn(First) -> Pair) -> [Cell; 3] {
    let on = |placement, cores: &str| {
        let body = pair(placement, ROUNDS, start);
        cell(contender, arm, cores, body).placement(placement)
    };
    [
        on(Placement::OneCore, "one"),
        on(Placement::Neighbours, "two asleep"),
        on(Placement::Neighbours, "two awake").beside(Spinners::Idle),
    ]
}

/// Creates a benchmark with two tasks of one runtime, which runs them on one
/// thread.
fn one_runtime() -> Cell {
    let tasks = || channels::tokio::round_trips(ROUNDS);
    let body = Body::task(CURRENT_THREAD, tasks);
    cell(CURRENT_THREAD.name(), "one runtime", "one", body)
        .placement(Placement::AllCores)
}

fn cell(contender: &str, arm: &str, cores: &str, body: Body) -> Cell {
    Cell::new(contender, ROUNDS, body)
        .per(2 * ROUNDS)
        .parameter("arm", arm)
        .parameter("cores", cores)
        .group("all")
        .in_sweep()
}

fn threads(first: First) -> Pair {
    let pair = channels::std_thread::Pair::start(first);
    Box::new(move |rounds| pair.round_trips(rounds))
}

pub(crate) fn tasks(first: First) -> Pair {
    let mut pair = two_runtimes::Pair::start(first);
    Box::new(move |rounds| pair.round_trips(rounds))
}
