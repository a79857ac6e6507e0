//! Two threads that take turns, each where a placement puts it.

use std::cell::RefCell;
use std::thread;

use harness::{pin_this_thread, Body, Placement};

/// What a pair's second thread does before all else.
pub(crate) type First = Box<dyn FnOnce() + Send>;

/// Makes so many round trips, and returns how many were right. Dropping it ends
/// the second thread.
pub(crate) type Pair = Box<dyn FnMut(u64) -> u64>;

thread_local! {
    /// The pair whose first thread this is.
    static PAIR: RefCell<Option<Pair>> = RefCell::default();
}

/// A pair of threads whose operation is so many round trips. They are started for
/// each batch: after a visit the harness gives all threads of the process their
/// cores back.
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

/// What puts the second of two where it belongs.
pub(crate) fn second(placement: Placement) -> First {
    Box::new(move || put(placement, 1))
}

/// Puts this thread, one of two, where it belongs.
fn put(placement: Placement, place: usize) {
    if placement == Placement::Neighbours {
        pin_this_thread(place).unwrap_or_else(|reason| panic!("{reason}"));
    }
}
