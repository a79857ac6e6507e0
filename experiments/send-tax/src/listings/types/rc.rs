//! Clones an `Rc` and drops the clone.

use std::hint::black_box;
use std::rc::Rc;

/// Clones each of the list, and adds up what the clones point to.
#[inline(never)]
pub fn clone_and_drop(list: &[Rc<u64>]) -> u64 {
    let mut sum = 0;
    for rc in list {
        let clone = Rc::clone(rc);
        black_box(()); // Here it has to be counted.
        sum += *clone;
    }
    sum
}
