//! Maps that the page does not show.

/// Behind the standard library's mutex.
pub(super) mod std_mutex {
    use std::collections::HashMap;
    use std::sync::Mutex;

    /// The value of a key.
    pub(crate) fn get(map: &Mutex<HashMap<u64, u64>>, key: u64) -> Option<u64> {
        map.lock().expect("no one panics with it").get(&key).copied()
    }

    /// Puts a value in, in place of what the key had.
    pub(crate) fn insert(map: &Mutex<HashMap<u64, u64>>, key: u64, value: u64) {
        map.lock().expect("no one panics with it").insert(key, value);
    }
}

/// A lock for each of its parts.
pub(super) mod dash_map {
    use dashmap::DashMap;

    /// The value of a key.
    pub(crate) fn get(map: &DashMap<u64, u64>, key: u64) -> Option<u64> {
        map.get(&key).map(|value| *value)
    }

    /// Puts a value in, in place of what the key had.
    pub(crate) fn insert(map: &DashMap<u64, u64>, key: u64, value: u64) {
        map.insert(key, value);
    }
}
