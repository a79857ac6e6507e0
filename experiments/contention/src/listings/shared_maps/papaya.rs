//! A map without locks, whose old values are freed when no reader can have them.

use papaya::HashMap;

/// The value of a key.
pub fn get(map: &HashMap<u64, u64>, key: u64) -> Option<u64> {
    map.pin().get(&key).copied()
}

/// Puts a value in, in place of what the key had.
pub fn insert(map: &HashMap<u64, u64>, key: u64, value: u64) {
    map.pin().insert(key, value);
}
