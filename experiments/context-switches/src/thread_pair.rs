//! Pairs of threads that take turns, and the cores on which the two threads
//! run.

use std::cell::RefCell;
use std::thread;

use harness::{pin_this_thread, Body, Placement};

/// A function that the second thread of a pair calls first, to pin itself.
pub(crate) type First = Box<dyn FnOnce() + Send>;

/// A pair of threads. Calling it with `n` makes `n` round trips, and returns
/// how many were right. Dropping it ends the second thread.
pub(crate) type Pair = Box<dyn FnMut(u64) -> u64>;

thread_local! {
    /// The pair of threads whose first thread is this one.
    static PAIR: RefCell<Option<Pair>> = RefCell::default();
}

/// Creates the body of a benchmark in which an operation is `rounds` round
/// trips between two threads. The threads are started for each batch of
/// samples, since the harness unpins all threads of the process in between.
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

/// Runs a batch of samples in a new thread, which is the first of a pair.
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

/// Returns a function that pins the calling thread, the second of a pair, to
/// its core.
pub(crate) fn second(placement: Placement) -> First {
    Box::new(move || put(placement, 1))
}

/// Pins this thread to its core if the two threads of its pair are placed on
/// separate cores. `place` is the index of the core.
fn put(placement: Placement, place: usize) {
    if placement == Placement::Neighbours {
        pin_this_thread(place).unwrap_or_else(|reason| panic!("{reason}"));
    }
}
