//! Pointer chasing through cache lines in random order: each line holds the
//! address of the next, so each load depends on the one before.

use std::ops::Range;

/// The size of a cache line in bytes.
pub const LINE: usize = 64;

/// Follows the cycle for `steps` steps, starting at the line at offset
/// `from`. Returns the offset of the line that it reaches.
#[inline(never)]
pub fn walk(memory: &[u8], from: usize, steps: usize) -> usize {
    let mut at = from;
    for _ in 0..steps {
        at = next(memory, at);
    }
    at
}

/// Inserts `lines` into the cycle of the preceding lines, each after a random
/// earlier line. In the end, all orders are equally likely. `draw(n)` returns
/// a number below `n`.
pub fn grow(
    memory: &mut [u8],
    lines: Range<usize>,
    mut draw: impl FnMut(usize) -> usize,
) {
    for line in lines {
        let before = draw(line.max(1)) * LINE;
        let behind = next(memory, before);
        let at = line * LINE;
        set_next(memory, before, at);
        // The first line points to itself, which makes a cycle of one line.
        set_next(memory, at, behind);
    }
}

/// Returns the offset of the line that comes after the line at offset `at`.
pub fn next(memory: &[u8], at: usize) -> usize {
    let bytes = memory[at..at + 8].try_into();
    u64::from_ne_bytes(bytes.expect("they are eight")) as usize
}

fn set_next(memory: &mut [u8], at: usize, next: usize) {
    memory[at..at + 8].copy_from_slice(&(next as u64).to_ne_bytes());
}
