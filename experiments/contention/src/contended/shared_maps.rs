//! Maps that all threads share while they count keys.

/// One map for all threads, with a lock per shard.
pub mod dash_map {
    use dashmap::DashMap;

    /// Cycles through `keys` and increments the count of each in `map`,
    /// `times` times in all.
    pub fn count(map: &DashMap<u64, u64>, keys: &[u64], times: usize) {
        for &key in keys.iter().cycle().take(times) {
            *map.entry(key).or_default() += 1;
        }
    }
}

/// One map for all threads, behind a mutex.
pub mod std_mutex {
    use std::collections::HashMap;
    use std::sync::Mutex;

    /// Cycles through `keys` and increments the count of each in `map`,
    /// `times` times in all.
    pub fn count(map: &Mutex<HashMap<u64, u64>>, keys: &[u64], times: usize) {
        for &key in keys.iter().cycle().take(times) {
            let mut counts = map.lock().expect("no one panics with it");
            *counts.entry(key).or_default() += 1;
        }
    }
}
