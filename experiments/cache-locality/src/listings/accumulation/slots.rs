//! Increments one slot per core, each on its own cache lines. A reader adds
//! up the slots.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A counter with nothing else on its cache line, nor on the neighbouring line
/// that some processors fetch along with it.
#[derive(Default)]
#[repr(align(128))]
pub struct Slot(AtomicU64);

/// Adds one to `slot`, and repeats this `times` times. The additions are
/// atomic, because the kernel may move the thread to another core between a
/// load and a store.
pub fn count(slot: &Slot, times: u64) {
    for _ in 0..times {
        slot.0.fetch_add(1, Relaxed);
    }
}

/// Resets all slots to zero, and returns the sum of their counts.
pub fn take(slots: &[Slot]) -> u64 {
    slots.iter().map(|Slot(count)| count.swap(0, Relaxed)).sum()
}
