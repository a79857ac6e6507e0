//! The part of a request that is needed only because tasks may move between
//! threads: an atomic addition, two locks, and an `Arc` cloned and dropped.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// The shop's state, reduced to what each request touches. A single number
/// takes the place of a basket's items.
#[derive(Default)]
pub struct Skeleton {
    basket: Mutex<Arc<Mutex<u64>>>,
    requests: AtomicU64,
}

impl Skeleton {
    /// Handles a request, and returns the number of requests handled so far.
    pub fn request(&self) -> u64 {
        self.requests.fetch_add(1, Ordering::Relaxed);
        let basket = self.basket();
        let mut basket = basket.lock().expect("no holder panics");
        *basket += 1;
        *basket
    }

    fn basket(&self) -> Arc<Mutex<u64>> {
        let basket = self.basket.lock().expect("no holder panics");
        Arc::clone(&basket)
    }
}
