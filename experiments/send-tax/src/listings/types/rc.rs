//! Clones an `Rc` and drops the clone.

use std::hint::black_box;
use std::rc::Rc;

/// Clones every pointer in the list, and adds up the values behind the clones.
#[inline(never)]
pub fn clone_and_drop(list: &[Rc<u64>]) -> u64 {
    let mut sum = 0;
    for rc in list {
        let clone = Rc::clone(rc);
        black_box(()); // Keeps the compiler from removing the count.
        sum += *clone;
    }
    sum
}
