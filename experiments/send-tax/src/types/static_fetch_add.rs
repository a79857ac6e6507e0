//! Adds one in counters that all threads share.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The counters of all threads.
pub static COUNTERS: [AtomicU64; 16] = [const { AtomicU64::new(0) }; 16];

/// Adds one to each counter of the list, which names them by their places.
pub fn count(list: &[usize]) {
    list.iter().copied().for_each(add_one);
}

/// A call each, so that each time the counters have to be found.
#[inline(never)]
fn add_one(place: usize) {
    COUNTERS[place].fetch_add(1, Relaxed);
}
