//! Adds one in counters that every thread has for itself, made when the
//! thread first uses them.

use std::cell::Cell;

thread_local! {
    /// This thread's counters.
    pub static COUNTERS: [Cell<u64>; 16] =
        std::array::from_fn(|_| Cell::new(0));
}

/// Adds one to each counter of the list, which names them by their places.
pub fn count(list: &[usize]) {
    list.iter().copied().for_each(add_one);
}

/// A call each, so that each time the counters have to be found.
#[inline(never)]
fn add_one(place: usize) {
    COUNTERS.with(|counters| {
        counters[place].set(counters[place].get() + 1);
    });
}
