//! Shared maps in which all threads count keys.

/// All threads count in one map with a lock for each of its shards.
pub mod dash_map {
    use dashmap::DashMap;

    /// Counts `times` keys, going round through `keys`.
    pub fn count(map: &DashMap<u64, u64>, keys: &[u64], times: usize) {
        for &key in keys.iter().cycle().take(times) {
            *map.entry(key).or_default() += 1;
        }
    }
}

/// All threads count in one map behind a mutex.
pub mod std_mutex {
    use std::collections::HashMap;
    use std::sync::Mutex;

    /// Counts `times` keys, going round through `keys`.
    pub fn count(map: &Mutex<HashMap<u64, u64>>, keys: &[u64], times: usize) {
        for &key in keys.iter().cycle().take(times) {
            let mut counts = map.lock().expect("no one panics with it");
            *counts.entry(key).or_default() += 1;
        }
    }
}
