//! A shop whose connections stay on one thread.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// The quantity of each item in a visitor's basket.
type Basket = HashMap<String, u64>;

/// The baskets of all visitors, one per connection.
#[derive(Default)]
pub struct Shop {
    baskets: RefCell<HashMap<u64, Rc<RefCell<Basket>>>>,
    requests: Cell<u64>,
}

impl Shop {
    /// Answers a request: `add apples 3`, or `show apples`.
    pub fn answer(&self, visitor: u64, request: &str) -> String {
        self.requests.set(self.requests.get() + 1);
        let mut words = request.split_ascii_whitespace();
        let (verb, item) = (words.next(), words.next());
        let more = words.next().map(str::parse);
        let basket = self.basket(visitor);
        let mut basket = basket.borrow_mut();
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
    fn basket(&self, visitor: u64) -> Rc<RefCell<Basket>> {
        let mut baskets = self.baskets.borrow_mut();
        Rc::clone(baskets.entry(visitor).or_default())
    }

    /// Returns the total quantity of `item` in all baskets. Because of this
    /// function, the baskets have to be shared.
    pub fn wanted(&self, item: &str) -> u64 {
        let baskets = self.baskets.borrow();
        let wanted = baskets.values().map(|basket| {
            let basket = basket.borrow();
            basket.get(item).copied().unwrap_or_default()
        });
        wanted.sum()
    }

    /// Returns the number of requests so far.
    pub fn requests(&self) -> u64 {
        self.requests.get()
    }

    /// Forgets a visitor whose connection has been closed.
    pub fn close(&self, visitor: u64) {
        let mut baskets = self.baskets.borrow_mut();
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
