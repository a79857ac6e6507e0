//! A shop without shared baskets: each basket belongs to the task of its
//! connection. No other task can look into it, so nothing is locked.

use std::collections::HashMap;

/// One visitor's basket: the quantity of each item.
#[derive(Default)]
pub struct Basket {
    counts: HashMap<String, u64>,
    requests: u64,
}

impl Basket {
    /// Answers a request such as `add apples 3` or `show apples`.
    pub fn answer(&mut self, request: &str) -> String {
        self.requests += 1;
        let mut words = request.split_ascii_whitespace();
        let (verb, item) = (words.next(), words.next());
        let more = words.next().map(str::parse);
        match (verb, item, more) {
            (Some("add"), Some(item), Some(Ok(more))) => {
                format!("{item} {}\n", self.add(item, more))
            }
            (Some("show"), Some(item), None) => {
                format!("{item} {}\n", self.count(item))
            }
            _ => "add ITEM COUNT, or show ITEM\n".to_owned(),
        }
    }

    fn add(&mut self, item: &str, more: u64) -> u64 {
        if let Some(count) = self.counts.get_mut(item) {
            *count = count.saturating_add(more);
            return *count;
        }
        self.counts.insert(item.to_owned(), more);
        more
    }

    /// Returns the quantity of `item` in the basket.
    pub fn count(&self, item: &str) -> u64 {
        self.counts.get(item).copied().unwrap_or_default()
    }

    /// Returns the number of requests so far.
    pub fn requests(&self) -> u64 {
        self.requests
    }
}
