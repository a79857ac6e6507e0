//! A map behind the standard library's readers-writer lock.

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::hint::black_box;
use std::sync::RwLock;

/// For each key below `keys`, inserts a value and then looks it up. Returns
/// the sum of the values found.
pub fn insert_and_get<S: BuildHasher>(
    map: &RwLock<HashMap<u64, u64, S>>,
    keys: u64,
) -> u64 {
    let mut sum = 0;
    for key in 0..keys {
        let mut locked = map.write().expect("no one panics with it");
        locked.insert(black_box(key), key);
        drop(locked);
        let locked = map.read().expect("no one panics with it");
        sum += locked.get(&black_box(key)).copied().unwrap_or(0);
    }
    sum
}
