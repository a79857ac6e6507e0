//! Reads, or adds one, under the standard library's readers-writer lock.

use std::hint::black_box;
use std::sync::RwLock;

/// Adds one to each counter of the list.
#[inline(never)]
pub fn count(list: &[&RwLock<u64>]) {
    for counter in list {
        let mut count = counter.write().expect("no one panics with it");
        *count += 1;
        black_box(()); // Here it has to be locked.
    }
}

/// Adds up the numbers of the list.
#[inline(never)]
pub fn read(list: &[&RwLock<u64>]) -> u64 {
    let mut sum = 0;
    for lock in list {
        let number = lock.read().expect("no one panics with it");
        sum += *number;
        black_box(()); // Here it has to be locked.
    }
    sum
}
