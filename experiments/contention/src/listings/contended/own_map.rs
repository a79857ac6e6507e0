//! Each thread counts in its own map, and merges that map into the shared one
//! at the end.

use std::collections::HashMap;
use std::sync::Mutex;

/// Cycles through `keys` and increments the count of each in a local map,
/// `times` times in all. Adds the counts to `map` at the end.
pub fn count(map: &Mutex<HashMap<u64, u64>>, keys: &[u64], times: usize) {
    let mut own = HashMap::<u64, u64>::new();
    for &key in keys.iter().cycle().take(times) {
        *own.entry(key).or_default() += 1;
    }
    let mut counts = map.lock().expect("no one panics with it");
    for (key, count) in own {
        *counts.entry(key).or_default() += count;
    }
}
