//! A map whose readers take no lock. It frees a replaced value once no reader
//! can still hold it.

use papaya::HashMap;

/// Returns the value of `key`, if there is one.
pub fn get(map: &HashMap<u64, u64>, key: u64) -> Option<u64> {
    map.pin().get(&key).copied()
}

/// Inserts a value, replacing the key's old one.
pub fn insert(map: &HashMap<u64, u64>, key: u64, value: u64) {
    map.pin().insert(key, value);
}
