//! Maps that are measured but not shown on the chapter's page.

pub(super) mod std_mutex {
    use std::collections::HashMap;
    use std::sync::Mutex;

    pub(crate) fn get(map: &Mutex<HashMap<u64, u64>>, key: u64) -> Option<u64> {
        map.lock().expect("no one panics with it").get(&key).copied()
    }

    pub(crate) fn insert(map: &Mutex<HashMap<u64, u64>>, key: u64, value: u64) {
        map.lock().expect("no one panics with it").insert(key, value);
    }
}

pub(super) mod dash_map {
    use dashmap::DashMap;

    pub(crate) fn get(map: &DashMap<u64, u64>, key: u64) -> Option<u64> {
        map.get(&key).map(|value| *value)
    }

    pub(crate) fn insert(map: &DashMap<u64, u64>, key: u64, value: u64) {
        map.insert(key, value);
    }
}
