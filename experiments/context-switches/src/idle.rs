//! Experiment `idle`: two threads, or two runtimes, take turns. Idle cores
//! either wait in the machine's default way, or poll. An operation is
//! `ROUNDS` round trips, each of which is two switches.
//!
//! For each way to take turns, there is a ladder of benchmarks. On one core,
//! no other core is woken. On two cores, the other core polls, runs something
//! else (arm `awake`), or has halted (the default on our machines).

use std::cell::RefCell;
use std::time::Duration;

use harness::{Body, Cell, Counter, Experiment, Idle, Placement, Spinners};
use runtimes::std_thread;
use runtimes::tokio::CURRENT_THREAD;

use crate::across::tasks as tasks_of_two_runtimes;
use crate::switch::wake_up::ParkedThread;
use crate::switch::{
    parking_threads, threads_with_channels, threads_with_pipes,
};
use crate::thread_pair::{in_a_thread, pair, second, First, Pair};

const ROUNDS: u64 = 100;

/// The time for which a core has been idle when it is woken.
const REST: Duration = Duration::from_millis(1);

const ONE: Placement = Placement::OneCore;
const TWO: Placement = Placement::Neighbours;

pub(crate) fn experiment() -> Experiment {
    let (std, tokio) = (std_thread::NAME, CURRENT_THREAD.name());
    let experiment = Experiment::new("idle", "time per switch", std)
        .counting(&[
            Counter::ContextSwitches,
            Counter::CpuTime,
            Counter::Halts,
            Counter::IdlePolls,
            Counter::RescheduleInterrupts,
            Counter::FunctionCallInterrupts,
            Counter::InterruptsBetweenCores,
        ])
        .cells(ladder(std, "futex", parking_threads))
        .cells(ladder(std, "pipe", threads_with_pipes))
        .cells(ladder(std, "channel", threads_with_channels))
        .cells(ladder(tokio, "two runtimes", tasks_of_two_runtimes))
        .cells(waking_up());
    #[cfg(target_os = "linux")]
    let experiment = experiment.cells(recorded());
    experiment
}

/// Creates benchmarks in which two threads or runtimes take turns: on one
/// core, and on two cores while the core to be woken sleeps, polls, or is
/// kept awake.
fn ladder(
    contender: &str,
    kernel: &str,
    start: fn(First) -> Pair,
) -> [Cell; 5] {
    let cell = |placement, idle, arm: &str| {
        let body = pair(placement, ROUNDS, start);
        let cell = Cell::new(contender, ROUNDS, body).per(2 * ROUNDS);
        described(cell, kernel, placement, idle, arm)
    };
    [
        cell(ONE, Idle::Default, "ours"),
        cell(ONE, Idle::Polls, "ours"),
        cell(TWO, Idle::Default, "ours").twinned(),
        cell(TWO, Idle::Polls, "ours"),
        cell(TWO, Idle::Default, "awake").beside(Spinners::Idle),
    ]
}

/// Creates benchmarks that measure how quickly a thread runs again after it
/// is woken. The thread has slept for a millisecond.
fn waking_up() -> [Cell; 4] {
    thread_local! {
        static SLEEPER: RefCell<Option<ParkedThread>> = RefCell::default();
    }
    let cell = |placement, idle, arm: &str| {
        let wake = move || {
            SLEEPER.with_borrow_mut(|sleeper| {
                let start = || ParkedThread::start(second(placement));
                (sleeper.get_or_insert_with(start).wake(REST), 1)
            })
        };
        let body = Body::inside(in_a_thread(placement), wake);
        let cell = Cell::new(std_thread::NAME, 1, body).quantity("wake-up");
        described(cell, "wake-up", placement, idle, arm)
    };
    [
        cell(ONE, Idle::Default, "ours"),
        cell(TWO, Idle::Default, "ours").twinned(),
        cell(TWO, Idle::Polls, "ours"),
        cell(TWO, Idle::Default, "awake").beside(Spinners::Idle),
    ]
}

fn described(
    cell: Cell,
    kernel: &str,
    placement: Placement,
    idle: Idle,
    arm: &str,
) -> Cell {
    cell.parameter("kernel", kernel)
        .parameter("arm", arm)
        .placement(placement)
        .idle(idle)
        .group(kernel)
}

/// Creates benchmarks that record a byte's hop through a pipe: on one core,
/// and on two cores while the core to be woken sleeps, polls, or is kept
/// awake.
#[cfg(target_os = "linux")]
fn recorded() -> [Cell; 4] {
    use crate::recordings::pipe_hop::recorded_hop;
    let hop = |placement, idle| {
        recorded_hop(placement).parameter("kernel", "pipe hop").idle(idle)
    };
    [
        hop(ONE, Idle::Default),
        hop(TWO, Idle::Default),
        hop(TWO, Idle::Polls),
        hop(TWO, Idle::Default)
            .parameter("arm", "awake")
            .beside(Spinners::Idle),
    ]
}
