//! Counting in a number that other cores may read.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Adds one `times` times, each in a single atomic step.
pub fn fetch_add(number: &AtomicU64, times: u64) {
    for _ in 0..times {
        number.fetch_add(1, Relaxed);
    }
}

/// Adds one `times` times, each in two steps: only correct if one thread alone
/// writes the number.
pub fn load_and_store(number: &AtomicU64, times: u64) {
    for _ in 0..times {
        number.store(number.load(Relaxed) + 1, Relaxed);
    }
}

/// Stores the counts up to `times` without reading the number: the count is
/// kept elsewhere.
pub fn store(number: &AtomicU64, times: u64) {
    for count in 0..times {
        number.store(count + 1, Relaxed);
    }
}
