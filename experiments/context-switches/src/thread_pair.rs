//! Two threads that take turns, each placed on a core.

use std::cell::RefCell;
use std::thread;

use harness::{pin_this_thread, Body, Placement};

/// Called first by a pair's second thread.
pub(crate) type First = Box<dyn FnOnce() + Send>;

/// Makes a number of round trips, and returns how many were right. Dropping it
/// ends the second thread.
pub(crate) type Pair = Box<dyn FnMut(u64) -> u64>;

thread_local! {
    /// The pair in which this thread is the first.
    static PAIR: RefCell<Option<Pair>> = RefCell::default();
}

/// Returns a pair of threads whose operation is `rounds` round trips. They are
/// started for each batch: after a visit, the harness unpins all threads of the
/// process.
pub(crate) fn pair(
    placement: Placement,
    rounds: u64,
    start: fn(First) -> Pair,
) -> Body {
    Body::inside(in_a_thread(placement), move || {
        PAIR.with_borrow_mut(|pair| {
            pair.get_or_insert_with(|| start(second(placement)))(rounds)
        })
    })
}

/// Runs a batch in a thread that is the first of two.
pub(crate) fn in_a_thread(
    placement: Placement,
) -> impl Fn(&mut (dyn FnMut() + Send)) + Copy {
    move |batch| {
        thread::scope(|scope| {
            scope.spawn(|| {
                put(placement, 0);
                batch();
            });
        });
    }
}

/// Returns a function that pins the second thread to its core.
pub(crate) fn second(placement: Placement) -> First {
    Box::new(move || put(placement, 1))
}

/// Pins this thread, one of two, to its core.
fn put(placement: Placement, place: usize) {
    if placement == Placement::Neighbours {
        pin_this_thread(place).unwrap_or_else(|reason| panic!("{reason}"));
    }
}
