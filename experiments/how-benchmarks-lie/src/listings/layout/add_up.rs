//! A loop that is compiled several times into one program.

use std::sync::OnceLock;

/// Adds up `numbers`, starting from `FIRST`. For two values of `FIRST`, the
/// machine code differs only in that number.
#[inline(never)]
pub fn add_up<const FIRST: u64>(numbers: &[&OnceLock<u64>]) -> u64 {
    let mut sum = FIRST;
    for number in numbers {
        sum += *number.get().expect("it was set");
        // Prevents LLVM from adding up several numbers at once.
        std::hint::black_box(());
    }
    sum
}
