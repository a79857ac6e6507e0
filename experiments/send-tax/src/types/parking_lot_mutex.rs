//! Adds one under parking_lot's mutex.

use std::hint::black_box;

use parking_lot::Mutex;

/// Adds one to each counter of the list.
#[inline(never)]
pub fn count(list: &[&Mutex<u64>]) {
    for counter in list {
        let mut count = counter.lock();
        *count += 1;
        black_box(()); // Here it has to be locked.
    }
}
