//! A map without any protection, changed by its only owner.

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::hint::black_box;

/// For each key below `keys`, inserts a value and then looks it up. Returns
/// the sum of the values found.
pub fn insert_and_get<S: BuildHasher>(
    map: &mut HashMap<u64, u64, S>,
    keys: u64,
) -> u64 {
    let mut sum = 0;
    for key in 0..keys {
        map.insert(black_box(key), key);
        sum += map.get(&black_box(key)).copied().unwrap_or(0);
    }
    sum
}
