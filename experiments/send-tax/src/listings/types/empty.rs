//! The loop of the other listings, with an empty body.

use std::hint::black_box;

/// Walks through the list.
#[inline(never)]
pub fn walk(list: &[&u64]) {
    for _ in list {
        black_box(());
    }
}
