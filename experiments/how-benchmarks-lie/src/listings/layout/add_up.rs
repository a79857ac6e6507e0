//! A loop that is compiled into one program several times.

use std::sync::OnceLock;

/// Adds up `numbers`, starting from `FIRST`. Copies of this function with
/// other values of `FIRST` have the same machine code except for that number.
#[inline(never)]
pub fn add_up<const FIRST: u64>(numbers: &[&OnceLock<u64>]) -> u64 {
    let mut sum = FIRST;
    for number in numbers {
        sum += *number.get().expect("it was set");
        // Prevents LLVM from vectorising the loop.
        std::hint::black_box(());
    }
    sum
}
