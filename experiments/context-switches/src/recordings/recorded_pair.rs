//! A cell of two threads that is recorded.

use std::cell::RefCell;
use std::thread;

use harness::{
    pin_this_thread, room_for_cores, Body, Cell, Placement, RecordingPlan,
};
use runtimes::std_thread;

use crate::thread_pair::{First, Pair};

/// How many operations a batch has of what is recorded.
const ROUNDS: u64 = 50;

pub(super) const STD: &str = std_thread::NAME;
pub(super) const ONE: Placement = Placement::OneCore;
pub(super) const TWO: Placement = Placement::Neighbours;

/// On which of two cores who sleeps is, and who wakes it. A virtual machine's
/// kernel may be blind to what another core than its first does when it ceases to
/// be idle (as that of xeon-emr-vm-2 is).
const SLEEPER: usize = 0;
const WAKER: usize = 1;

thread_local! {
    /// The pair whose first thread this is.
    static PAIR: RefCell<Option<Pair>> = RefCell::default();
}

/// A cell of two threads that take turns, each of which has so many of the
/// operations that are recorded. The second is the one that sleeps.
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

/// Puts this thread, one of two, where it belongs.
fn put(placement: Placement, core: usize) {
    if placement == Placement::Neighbours {
        pin_this_thread(core).unwrap_or_else(|reason| panic!("{reason}"));
    }
}
