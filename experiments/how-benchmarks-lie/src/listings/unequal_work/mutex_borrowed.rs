//! Counts requests by route behind a lock, and looks up the route without
//! copying it.

use std::collections::HashMap;
use std::sync::Mutex;

/// The number of requests per route.
#[derive(Default)]
pub struct Counts(Mutex<HashMap<String, u64>>);

impl Counts {
    /// Adds one to the count of `route`.
    pub fn count(&self, route: &str) {
        let mut counts = self.0.lock().expect("no one panics with the lock");
        match counts.get_mut(route) {
            Some(count) => *count += 1,
            None => drop(counts.insert(route.to_owned(), 1)),
        }
    }

    /// Returns the count of `route` and resets it to 0.
    pub fn take(&self, route: &str) -> u64 {
        let mut counts = self.0.lock().expect("no one panics with the lock");
        counts.get_mut(route).map_or(0, std::mem::take)
    }
}
