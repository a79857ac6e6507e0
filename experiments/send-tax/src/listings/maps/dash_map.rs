//! A map split into shards, each behind its own lock.

use std::hash::BuildHasher;
use std::hint::black_box;

use dashmap::DashMap;

/// For each key below `keys`, inserts a value and then looks it up. Returns
/// the sum of the values found.
pub fn insert_and_get<S: BuildHasher + Clone>(
    map: &DashMap<u64, u64, S>,
    keys: u64,
) -> u64 {
    let mut sum = 0;
    for key in 0..keys {
        map.insert(black_box(key), key);
        sum += map.get(&black_box(key)).map_or(0, |value| *value);
    }
    sum
}
