//! A loop that is compiled several times.

use std::sync::OnceLock;

/// Adds up `numbers`, starting from `FIRST`. The machine code of two instances
/// differs only in the starting number.
#[inline(never)]
pub fn add_up<const FIRST: u64>(numbers: &[&OnceLock<u64>]) -> u64 {
    let mut sum = FIRST;
    for number in numbers {
        sum += *number.get().expect("it was set");
        // Keeps LLVM from adding up several numbers at once.
        std::hint::black_box(());
    }
    sum
}
