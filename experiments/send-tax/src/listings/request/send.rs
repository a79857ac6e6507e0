//! A shop whose connections may be served on any thread.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// The quantity of each item in a visitor's basket.
type Basket = HashMap<String, u64>;

/// The baskets of all visitors, one per connection.
#[derive(Default)]
pub struct Shop {
    baskets: Mutex<HashMap<u64, Arc<Mutex<Basket>>>>,
    requests: AtomicU64,
}

impl Shop {
    /// Answers a request: `add apples 3`, or `show apples`.
    pub fn answer(&self, visitor: u64, request: &str) -> String {
        self.requests.fetch_add(1, Ordering::Relaxed);
        let mut words = request.split_ascii_whitespace();
        let (verb, item) = (words.next(), words.next());
        let more = words.next().map(str::parse);
        let basket = self.basket(visitor);
        let mut basket = basket.lock().expect("no holder panics");
        match (verb, item, more) {
            (Some("add"), Some(item), Some(Ok(more))) => {
                format!("{item} {}\n", add(&mut basket, item, more))
            }
            (Some("show"), Some(item), None) => {
                format!("{item} {}\n", basket.get(item).unwrap_or(&0))
            }
            _ => "add ITEM COUNT, or show ITEM\n".to_owned(),
        }
    }

    /// Returns the visitor's basket, which starts empty.
    fn basket(&self, visitor: u64) -> Arc<Mutex<Basket>> {
        let mut baskets = self.baskets.lock().expect("no holder panics");
        Arc::clone(baskets.entry(visitor).or_default())
    }

    /// Returns the total quantity of `item` in all baskets. Because of this
    /// function, the baskets have to be shared.
    pub fn wanted(&self, item: &str) -> u64 {
        let baskets = self.baskets.lock().expect("no holder panics");
        let wanted = baskets.values().map(|basket| {
            let basket = basket.lock().expect("no holder panics");
            basket.get(item).copied().unwrap_or_default()
        });
        wanted.sum()
    }

    /// Returns the number of requests so far.
    pub fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    /// Forgets a visitor whose connection has been closed.
    pub fn close(&self, visitor: u64) {
        let mut baskets = self.baskets.lock().expect("no holder panics");
        baskets.remove(&visitor);
    }
}

fn add(basket: &mut Basket, item: &str, more: u64) -> u64 {
    if let Some(count) = basket.get_mut(item) {
        *count = count.saturating_add(more);
        return *count;
    }
    basket.insert(item.to_owned(), more);
    more
}
