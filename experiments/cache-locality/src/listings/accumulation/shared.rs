//! All threads increment the same number.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Adds one to `number`, and repeats this `times` times.
pub fn count(number: &AtomicU64, times: u64) {
    for _ in 0..times {
        number.fetch_add(1, Relaxed);
    }
}
