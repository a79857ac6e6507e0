//! Adds one to counters that the standard library's mutex protects.

use std::hint::black_box;
use std::sync::Mutex;

/// Adds one to each counter in `list`.
#[inline(never)]
pub fn count(list: &[&Mutex<u64>]) {
    for counter in list {
        let mut count = counter.lock().expect("no one panics with it");
        *count += 1;
        black_box(()); // Keeps the compiler from removing the lock.
    }
}
