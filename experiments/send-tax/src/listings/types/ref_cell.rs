//! Adds one to counters that are in a `RefCell` each, which keeps track of
//! the borrow.

use std::cell::RefCell;
use std::hint::black_box;

/// Adds one to each counter in `list`.
#[inline(never)]
pub fn count(list: &[&RefCell<u64>]) {
    for counter in list {
        let mut count = counter.borrow_mut();
        *count += 1;
        black_box(()); // Keeps the compiler from removing the borrow.
    }
}
