//! Maps that the page does not show.

/// A map behind the standard library's mutex.
pub(super) mod std_mutex {
    use std::collections::HashMap;
    use std::sync::Mutex;

    /// Returns the value of a key.
    pub(crate) fn get(map: &Mutex<HashMap<u64, u64>>, key: u64) -> Option<u64> {
        map.lock().expect("no one panics with it").get(&key).copied()
    }

    /// Inserts a value, replacing the key's old one.
    pub(crate) fn insert(map: &Mutex<HashMap<u64, u64>>, key: u64, value: u64) {
        map.lock().expect("no one panics with it").insert(key, value);
    }
}

/// A map with a lock for each of its parts.
pub(super) mod dash_map {
    use dashmap::DashMap;

    /// Returns the value of a key.
    pub(crate) fn get(map: &DashMap<u64, u64>, key: u64) -> Option<u64> {
        map.get(&key).map(|value| *value)
    }

    /// Inserts a value, replacing the key's old one.
    pub(crate) fn insert(map: &DashMap<u64, u64>, key: u64, value: u64) {
        map.insert(key, value);
    }
}
