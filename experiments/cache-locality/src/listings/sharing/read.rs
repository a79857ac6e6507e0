//! Reads a number while one other thread writes it or no thread does.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Reads `number` repeatedly, `times` times in all. Returns how often the
/// value was at least the previous one.
pub fn read(number: &AtomicU64, times: u64) -> u64 {
    let (mut last, mut in_order) = (0, 0);
    for _ in 0..times {
        let now = number.load(Relaxed);
        in_order += u64::from(now >= last);
        last = now;
    }
    in_order
}

/// Adds to `number` repeatedly until `done` has reached `readers`.
pub fn write_until(number: &AtomicU64, done: &AtomicU64, readers: u64) {
    let mut count = number.load(Relaxed);
    while done.load(Relaxed) < readers {
        // Checking `done` after each store would double the work, so it is
        // checked after every 64 stores.
        for _ in 0..64 {
            count += 1;
            number.store(count, Relaxed);
        }
    }
}
