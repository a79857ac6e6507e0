//! A loop that is compiled several times.

use std::sync::OnceLock;

/// The same loop for each `FIRST`: the machine code of two copies differs in the
/// number with which they begin, and in nothing else.
#[inline(never)]
pub fn add_up<const FIRST: u64>(numbers: &[&OnceLock<u64>]) -> u64 {
    let mut sum = FIRST;
    for number in numbers {
        sum += *number.get().expect("it was set");
        // Or LLVM would add up several at once.
        std::hint::black_box(());
    }
    sum
}
