//! How fine the clock is.

use std::time::{Duration, Instant};

/// The smallest step between two of `readings` readings in a row, and how many
/// were equal to the one before.
pub fn grain(readings: u64) -> (Duration, u64) {
    let (mut smallest, mut equal) = (Duration::MAX, 0);
    let mut before = Instant::now();
    for _ in 0..readings {
        let now = Instant::now();
        match now - before {
            Duration::ZERO => equal += 1,
            step => smallest = smallest.min(step),
        }
        before = now;
    }
    (smallest, equal)
}
