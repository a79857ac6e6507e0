//! A task's state: so many cache lines, touched in an order that no prefetcher
//! knows.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// A cache line of the state. On its way between threads it is one at a time that
/// touches it, so nothing is locked: these are loads and stores as of any number.
#[repr(align(64))]
pub struct Line {
    next: AtomicUsize,
    value: AtomicU64,
}

/// So many lines, a power of two, that hold a one each.
pub fn state(lines: usize) -> Vec<Line> {
    // No other allocation shares the pair of lines in which one begins or ends.
    let mut state = Vec::with_capacity(lines + 2);
    state.extend((0..lines).map(|at| Line {
        next: AtomicUsize::new(following(at, lines)),
        value: AtomicU64::new(1),
    }));
    state
}

/// Touches every line. Each says where the next one is, so its load has to end
/// before the next can begin.
pub fn dependent(state: &[Line], touch: impl Fn(&Line) -> u64) -> u64 {
    let (mut at, mut sum) = (0, 0);
    for _ in state {
        let line = &state[at];
        sum += touch(line);
        at = line.next.load(Relaxed);
    }
    sum
}

/// Touches the same lines in the same order, which is computed: no load waits for
/// another.
pub fn independent(state: &[Line], touch: impl Fn(&Line) -> u64) -> u64 {
    let (mut at, mut sum) = (0, 0);
    for _ in state {
        sum += touch(&state[at]);
        at = following(at, state.len());
    }
    sum
}

/// Reads what the line holds.
pub fn read(line: &Line) -> u64 {
    line.value.load(Relaxed)
}

/// Returns what the line holds, and makes it a nought of a one, or a one of a
/// nought.
pub fn write(line: &Line) -> u64 {
    let value = read(line);
    line.value.store(value ^ 1, Relaxed);
    value
}

/// The line after this one: a linear congruential generator, which comes to every
/// line once before it begins anew.
fn following(at: usize, lines: usize) -> usize {
    at.wrapping_mul(0x9E37_79B1).wrapping_add(1) & (lines - 1)
}
