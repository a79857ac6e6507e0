//! A slot for each core, on cache lines of its own, and a sum for who asks.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Nothing else is on its cache line, nor on the one that some processors fetch
/// along with it.
#[derive(Default)]
#[repr(align(128))]
pub struct Slot(AtomicU64);

/// Counts so often in a slot. The thread may be moved to another core between two
/// steps, so it takes one.
pub fn count(slot: &Slot, times: u64) {
    for _ in 0..times {
        slot.0.fetch_add(1, Relaxed);
    }
}

/// Takes what all slots have counted.
pub fn take(slots: &[Slot]) -> u64 {
    slots.iter().map(|Slot(count)| count.swap(0, Relaxed)).sum()
}
