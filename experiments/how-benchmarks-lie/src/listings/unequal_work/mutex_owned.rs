//! Counts requests by route, behind a lock. Makes a key to look with.

use std::collections::HashMap;
use std::sync::Mutex;

/// How often each route was asked for.
#[derive(Default)]
pub struct Counts(Mutex<HashMap<String, u64>>);

impl Counts {
    /// Counts a request.
    pub fn count(&self, route: &str) {
        let mut counts = self.0.lock().expect("no one panics with the lock");
        *counts.entry(route.to_owned()).or_default() += 1;
    }

    /// What was counted for a route, which starts from 0 again.
    pub fn take(&self, route: &str) -> u64 {
        let mut counts = self.0.lock().expect("no one panics with the lock");
        counts.get_mut(route).map_or(0, std::mem::take)
    }
}
