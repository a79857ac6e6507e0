//! What `send_types` does, for tasks that stay on their thread: an addition,
//! two borrows, and an `Rc` cloned and dropped.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The shared state of the shop, with a number in place of a basket's items.
#[derive(Default)]
pub struct Skeleton {
    basket: RefCell<Rc<RefCell<u64>>>,
    requests: Cell<u64>,
}

impl Skeleton {
    /// Handles a request, and returns how many have been handled so far.
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
