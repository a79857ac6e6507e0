//! Creates recorded benchmarks for two threads that take turns.

use std::cell::RefCell;
use std::thread;

use harness::{
    pin_this_thread, room_for_cores, Body, Cell, Placement, RecordingPlan,
};
use runtimes::std_thread;

use crate::thread_pair::{First, Pair};

const ROUNDS: u64 = 50;

pub(super) const STD: &str = std_thread::NAME;
pub(super) const ONE: Placement = Placement::OneCore;
pub(super) const TWO: Placement = Placement::Neighbours;

/// The core of the thread that sleeps and the core of the thread that wakes
/// it, if there are two. On a virtual machine, the kernel may not see what
/// cores other than the first do when they cease to be idle (as on
/// xeon-emr-vm-2).
const SLEEPER: usize = 0;
const WAKER: usize = 1;

thread_local! {
    /// The pair of threads whose first thread is this one.
    static PAIR: RefCell<Option<Pair>> = RefCell::default();
}

/// Creates a benchmark of two threads that take turns. Each turn contains
/// `per_turn` of the recorded operations. The second thread is the one that
/// sleeps and is woken.
pub(super) fn cell(
    contender: &str,
    kernel: &str,
    placement: Placement,
    per_turn: u64,
    start: fn(First) -> Pair,
    plan: RecordingPlan,
) -> Cell {
    Cell::new(contender, ROUNDS, pair(placement, start))
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

/// Creates the body of a benchmark in which an operation is [`ROUNDS`] round
/// trips between two threads.
fn pair(placement: Placement, start: fn(First) -> Pair) -> Body {
    Body::inside(in_a_thread(placement), move || {
        PAIR.with_borrow_mut(|pair| {
            let second = || Box::new(move || put(placement, SLEEPER));
            pair.get_or_insert_with(|| start(second()))(ROUNDS)
        })
    })
}

/// Runs a batch of samples in a new thread, which is the first of a pair.
fn in_a_thread(
    placement: Placement,
) -> impl Fn(&mut (dyn FnMut() + Send)) + Copy {
    move |batch| {
        thread::scope(|scope| {
            scope.spawn(|| {
                put(placement, WAKER);
                batch();
            });
        });
    }
}

/// Pins this thread to `core` if the two threads of its pair are placed on
/// separate cores.
fn put(placement: Placement, core: usize) {
    if placement == Placement::Neighbours {
        pin_this_thread(core).unwrap_or_else(|reason| panic!("{reason}"));
    }
}
