//! Ways to increment a counter that other cores may read.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Adds one to `number`, and repeats this `times` times. Each addition is a
/// single atomic step.
pub fn fetch_add(number: &AtomicU64, times: u64) {
    for _ in 0..times {
        number.fetch_add(1, Relaxed);
    }
}

/// Adds one to `number`, and repeats this `times` times. Each addition is a
/// load and a store, so no other thread may write the number.
pub fn load_and_store(number: &AtomicU64, times: u64) {
    for _ in 0..times {
        number.store(number.load(Relaxed) + 1, Relaxed);
    }
}

/// Stores each of the numbers from 1 to `times` in `number`. The count is
/// kept in a local variable, so `number` is never read.
pub fn store(number: &AtomicU64, times: u64) {
    for count in 0..times {
        number.store(count + 1, Relaxed);
    }
}
