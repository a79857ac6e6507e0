//! No unit of concurrency at all: a loop.

use std::hint::black_box;

/// Adds up the ids of `units` units.
pub fn sum_of_ids(units: u64) -> u64 {
    (0..units).map(black_box).sum()
}
