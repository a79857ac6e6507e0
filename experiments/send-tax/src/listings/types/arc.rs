//! Clones an `Arc` and drops the clone.

use std::hint::black_box;
use std::sync::Arc;

/// Clones every pointer in the list, and adds up the values behind the clones.
#[inline(never)]
pub fn clone_and_drop(list: &[Arc<u64>]) -> u64 {
    let mut sum = 0;
    for arc in list {
        let clone = Arc::clone(arc);
        black_box(()); // Keeps the compiler from removing the count.
        sum += *clone;
    }
    sum
}
