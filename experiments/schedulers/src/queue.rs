//! A queue that any thread adds to and one worker empties.

use std::collections::VecDeque;

use crate::sync::{AtomicBool, Mutex, MutexGuard, Ordering};

/// What other threads have queued for a worker.
pub(crate) struct Inbox<T> {
    items: Mutex<VecDeque<T>>,
    /// Spares the worker the lock when there is nothing.
    is_empty: AtomicBool,
}

impl<T> Inbox<T> {
    pub(crate) fn new() -> Self {
        Inbox {
            items: Mutex::new(VecDeque::new()),
            is_empty: AtomicBool::new(true),
        }
    }

    /// Adds an item, behind all others.
    pub(crate) fn push(&self, item: T) {
        let mut items = self.lock();
        items.push_back(item);
        self.is_empty.store(false, Ordering::SeqCst);
    }

    /// Whether nothing has been pushed since it was emptied.
    pub(crate) fn is_empty(&self) -> bool {
        self.is_empty.load(Ordering::SeqCst)
    }

    /// Moves all that is there behind what `own` holds, and takes the lock once
    /// for that.
    pub(crate) fn move_to(&self, own: &mut VecDeque<T>) {
        if !self.is_empty() {
            let mut items = self.lock();
            own.append(&mut items);
            self.is_empty.store(true, Ordering::SeqCst);
        }
    }

    /// The item that has waited longest.
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
