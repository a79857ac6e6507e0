//! Counts requests by route on one thread, and looks up the route without
//! copying it.

use std::cell::RefCell;
use std::collections::HashMap;

/// The number of requests per route.
#[derive(Default)]
pub struct Counts(RefCell<HashMap<String, u64>>);

impl Counts {
    /// Adds one to the count of `route`.
    pub fn count(&self, route: &str) {
        let mut counts = self.0.borrow_mut();
        match counts.get_mut(route) {
            Some(count) => *count += 1,
            None => drop(counts.insert(route.to_owned(), 1)),
        }
    }

    /// Returns the count of `route` and resets it to 0.
    pub fn take(&self, route: &str) -> u64 {
        self.0.borrow_mut().get_mut(route).map_or(0, std::mem::take)
    }
}
