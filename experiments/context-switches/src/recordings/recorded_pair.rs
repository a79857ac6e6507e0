//! A recorded cell of two threads.

use std::cell::RefCell;
use std::thread;

use harness::{
    pin_this_thread, room_for_cores, Body, Cell, Placement, RecordingPlan,
};
use runtimes::std_thread;

use crate::thread_pair::{First, Pair};

/// How many of the recorded operations a batch has.
const ROUNDS: u64 = 50;

pub(super) const STD: &str = std_thread::NAME;
pub(super) const ONE: Placement = Placement::OneCore;
pub(super) const TWO: Placement = Placement::Neighbours;

/// The places of the sleeper and of the waker on two cores. A virtual machine's
/// kernel may not see what cores other than the first do when they cease to be
/// idle (as on xeon-emr-vm-2).
const SLEEPER: usize = 0;
const WAKER: usize = 1;

thread_local! {
    /// The pair whose first thread this is.
    static PAIR: RefCell<Option<Pair>> = RefCell::default();
}

/// Returns a cell of two threads that take turns, each turn with
/// `per_turn` of the recorded operations. The second thread is the sleeper.
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

/// A pair of threads whose operation is its round trips.
fn pair(placement: Placement, start: fn(First) -> Pair) -> Body {
    Body::inside(in_a_thread(placement), move || {
        PAIR.with_borrow_mut(|pair| {
            let second = || Box::new(move || put(placement, SLEEPER));
            pair.get_or_insert_with(|| start(second()))(ROUNDS)
        })
    })
}

/// Runs a batch in a thread that is the first of two.
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

/// Pins this thread, one of two, to its core.
fn put(placement: Placement, core: usize) {
    if placement == Placement::Neighbours {
        pin_this_thread(core).unwrap_or_else(|reason| panic!("{reason}"));
    }
}
