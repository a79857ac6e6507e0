//! A task's memory: cache lines touched in an order that prefetchers can't
//! predict.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// A cache line of a task's memory. Only one thread at a time touches a line,
/// so plain loads and stores without locked instructions are enough.
#[repr(align(64))]
pub struct Line {
    next: AtomicUsize,
    value: AtomicU64,
}

/// Creates `lines` cache lines, a power of two. Each line holds a one.
pub fn state(lines: usize) -> Vec<Line> {
    // Padding of two cache lines, so that no other data shares the pairs of
    // cache lines used here.
    let mut state = Vec::with_capacity(lines + 2);
    state.extend((0..lines).map(|at| Line {
        next: AtomicUsize::new(following(at, lines)),
        value: AtomicU64::new(1),
    }));
    state
}

/// Touches every line, and returns the sum of the results of `touch`. Each
/// line holds the index of the next, so its load must finish before the next
/// can start.
pub fn dependent(state: &[Line], touch: impl Fn(&Line) -> u64) -> u64 {
    let (mut at, mut sum) = (0, 0);
    for _ in state {
        let line = &state[at];
        sum += touch(line);
        at = line.next.load(Relaxed);
    }
    sum
}

/// Touches the lines in the same order as [`dependent`], but computes their
/// indexes, so that no load waits for another. Returns the sum of the results
/// of `touch`.
pub fn independent(state: &[Line], touch: impl Fn(&Line) -> u64) -> u64 {
    let (mut at, mut sum) = (0, 0);
    for _ in state {
        sum += touch(&state[at]);
        at = following(at, state.len());
    }
    sum
}

/// Returns the value of `line`: zero or one.
pub fn read(line: &Line) -> u64 {
    line.value.load(Relaxed)
}

/// Returns the value of `line`, and flips it between zero and one.
pub fn write(line: &Line) -> u64 {
    let value = read(line);
    line.value.store(value ^ 1, Relaxed);
    value
}

/// Returns the index of the next line. This linear congruential generator
/// visits every line once before it repeats.
fn following(at: usize, lines: usize) -> usize {
    at.wrapping_mul(0x9E37_79B1).wrapping_add(1) & (lines - 1)
}
