//! Counting in a number that other cores may see.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// In one step, between which and the last no other thread comes.
pub fn fetch_add(number: &AtomicU64, times: u64) {
    for _ in 0..times {
        number.fetch_add(1, Relaxed);
    }
}

/// In two steps: only for a number that one thread alone writes.
pub fn load_and_store(number: &AtomicU64, times: u64) {
    for _ in 0..times {
        number.store(number.load(Relaxed) + 1, Relaxed);
    }
}

/// Without looking at what is there: what is stored has been counted elsewhere.
pub fn store(number: &AtomicU64, times: u64) {
    for count in 0..times {
        number.store(count + 1, Relaxed);
    }
}
