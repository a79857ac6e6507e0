//! Reads what always was there: a plain reference.

use std::hint::black_box;

/// A number, and a stop that knows which one is next.
pub struct Stop {
    /// Its number.
    pub number: u64,
    /// The stop after it.
    pub next: &'static Stop,
}

/// Goes so many stops on, each found out from the one before, and adds up
/// their numbers.
#[inline(never)]
pub fn follow(from: &'static Stop, stops: usize) -> u64 {
    let (mut at, mut sum) = (from, 0);
    for _ in 0..stops {
        at = at.next;
        sum += at.number;
        black_box(());
    }
    sum
}

/// Adds up the numbers of the list.
#[inline(never)]
pub fn read(list: &[&u64]) -> u64 {
    let mut sum = 0;
    for number in list {
        sum += **number;
        black_box(());
    }
    sum
}
