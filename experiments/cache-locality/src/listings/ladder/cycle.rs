//! A walk along cache lines each of which says where the next one begins, in an
//! order that was drawn: no load can begin before the last one has ended.

use std::ops::Range;

/// The bytes of a cache line.
pub const LINE: usize = 64;

/// Takes so many steps, and returns where that leads.
#[inline(never)]
pub fn walk(memory: &[u8], from: usize, steps: usize) -> usize {
    let mut at = from;
    for _ in 0..steps {
        at = next(memory, at);
    }
    at
}

/// Puts more lines into the cycle of all before them, each behind one of those: in
/// the end every order was equally likely. `draw` returns any number below its own.
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
        // The first line is its own cycle: 0 leads to 0.
        set_next(memory, at, behind);
    }
}

/// Where the line that begins here says that the next one does.
pub fn next(memory: &[u8], at: usize) -> usize {
    let bytes = memory[at..at + 8].try_into();
    u64::from_ne_bytes(bytes.expect("they are eight")) as usize
}

fn set_next(memory: &mut [u8], at: usize, next: usize) {
    memory[at..at + 8].copy_from_slice(&(next as u64).to_ne_bytes());
}
