//! Two threads that take turns, each placed on a core.

use std::cell::RefCell;
use std::thread;

use harness::{pin_this_thread, Body, Placement};

/// The function that a pair's second thread calls first.
pub(crate) type First = Box<dyn FnOnce() + Send>;

/// Makes `n` round trips if called with `n`, and returns how many were right.
/// Dropping the pair ends its second thread.
pub(crate) type Pair = Box<dyn FnMut(u64) -> u64>;

thread_local! {
    /// The pair in which this thread is the first.
    static PAIR: RefCell<Option<Pair>> = RefCell::default();
}

/// Creates a body whose operation is `rounds` round trips of a pair of
/// threads. The threads are started for each batch: after a visit, the
/// harness unpins all threads of the process.
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

/// Runs a batch in a new thread, the first of a pair.
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

/// Returns a function that pins the second thread of a pair to its core.
pub(crate) fn second(placement: Placement) -> First {
    Box::new(move || put(placement, 1))
}

/// Pins this thread of a pair to its core, if the placement uses two cores.
fn put(placement: Placement, place: usize) {
    if placement == Placement::Neighbours {
        pin_this_thread(place).unwrap_or_else(|reason| panic!("{reason}"));
    }
}
