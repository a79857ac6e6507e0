//! A queue to which any thread can add items. One worker removes them.

use std::collections::VecDeque;

use crate::sync::{AtomicBool, Mutex, MutexGuard, Ordering};

/// Items that other threads have queued for one worker.
pub(crate) struct Inbox<T> {
    items: Mutex<VecDeque<T>>,
    /// True if there are no items, so that the worker needn't take the lock.
    is_empty: AtomicBool,
}

impl<T> Inbox<T> {
    pub(crate) fn new() -> Self {
        Inbox {
            items: Mutex::new(VecDeque::new()),
            is_empty: AtomicBool::new(true),
        }
    }

    pub(crate) fn push(&self, item: T) {
        let mut items = self.lock();
        items.push_back(item);
        self.is_empty.store(false, Ordering::SeqCst);
    }

    /// Returns true if nothing has been pushed since the queue was last
    /// emptied.
    pub(crate) fn is_empty(&self) -> bool {
        self.is_empty.load(Ordering::SeqCst)
    }

    /// Moves all items to the end of `own`, taking the lock once.
    pub(crate) fn move_to(&self, own: &mut VecDeque<T>) {
        if !self.is_empty() {
            let mut items = self.lock();
            own.append(&mut items);
            self.is_empty.store(true, Ordering::SeqCst);
        }
    }

    /// Removes the oldest item.
    pub(crate) fn pop(&self) -> Option<T> {
        let mut items = self.lock();
        let item = items.pop_front();
        self.is_empty.store(items.is_empty(), Ordering::SeqCst);
        item
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<T>> {
        self.items.lock().expect("moving items does not panic")
    }
}
