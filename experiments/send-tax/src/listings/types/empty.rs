//! The loop of the others, which does nothing.

use std::hint::black_box;

/// Goes through the list.
#[inline(never)]
pub fn walk(list: &[&u64]) {
    for _ in list {
        black_box(());
    }
}
