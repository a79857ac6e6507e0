//! The right way: one clock around the whole batch of operations.

use std::hint::black_box;

/// Runs `operation` `operations` times, to be timed as a whole. Returns the
/// sum of the results.
pub fn run(operations: u32, mut operation: impl FnMut() -> u64) -> u64 {
    (0..operations).map(|_| black_box(operation())).sum()
}
