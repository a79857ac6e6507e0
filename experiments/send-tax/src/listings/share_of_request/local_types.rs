//! The operations of `send_types`, written for tasks that stay on one thread:
//! an addition, two borrows, and an `Rc` cloned and dropped.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The shop's state, reduced to what each request touches. A single number
/// takes the place of a basket's items.
#[derive(Default)]
pub struct Skeleton {
    basket: RefCell<Rc<RefCell<u64>>>,
    requests: Cell<u64>,
}

impl Skeleton {
    /// Handles a request, and returns the number of requests handled so far.
    pub fn request(&self) -> u64 {
        self.requests.set(self.requests.get() + 1);
        let basket = self.basket();
        let mut basket = basket.borrow_mut();
        *basket += 1;
        *basket
    }

    fn basket(&self) -> Rc<RefCell<u64>> {
        let basket = self.basket.borrow_mut();
        Rc::clone(&basket)
    }
}
