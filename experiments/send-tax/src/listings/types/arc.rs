//! Clones an `Arc` and drops the clone.

use std::hint::black_box;
use std::sync::Arc;

/// Clones each of the list, and adds up what the clones point to.
#[inline(never)]
pub fn clone_and_drop(list: &[Arc<u64>]) -> u64 {
    let mut sum = 0;
    for arc in list {
        let clone = Arc::clone(arc);
        black_box(()); // Here it has to be counted.
        sum += *clone;
    }
    sum
}
