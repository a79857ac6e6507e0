//! Reading a number that nobody writes, or its only writer.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Reads it so often, and returns how often it was no less than before.
pub fn read(number: &AtomicU64, times: u64) -> u64 {
    let (mut last, mut in_order) = (0, 0);
    for _ in 0..times {
        let now = number.load(Relaxed);
        in_order += u64::from(now >= last);
        last = now;
    }
    in_order
}

/// Counts on in it, from where it stands, until so many readers say that they are
/// done.
pub fn write_until(number: &AtomicU64, done: &AtomicU64, readers: u64) {
    let mut count = number.load(Relaxed);
    while done.load(Relaxed) < readers {
        // Looking at `done` between any two stores would be half of the work.
        for _ in 0..64 {
            count += 1;
            number.store(count, Relaxed);
        }
    }
}
