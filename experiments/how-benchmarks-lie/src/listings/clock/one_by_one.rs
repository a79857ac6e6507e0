//! The wrong way: a clock around each operation.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Times each of `operations` calls of `operation`. Returns the sum of the
/// times and the sum of the results.
pub fn time(
    operations: u32,
    mut operation: impl FnMut() -> u64,
) -> (Duration, u64) {
    let (mut took, mut sum) = (Duration::ZERO, 0);
    for _ in 0..operations {
        let start = Instant::now();
        let answer = black_box(operation());
        took += start.elapsed();
        sum += answer;
    }
    (took, sum)
}
