//! Slots that keep a benchmark's state between the tasks that use it.

use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A slot that holds at most one state.
pub(crate) trait Keep<State> {
    fn put(&self, state: State);

    /// Takes the state out of the slot; `None` if the slot is empty.
    fn take(&self) -> Option<State>;
}

/// A slot that every thread can access.
pub(crate) type Anywhere<State> = Arc<Mutex<Option<State>>>;

impl<State> Keep<State> for Anywhere<State> {
    fn put(&self, state: State) {
        let mut place = self.lock().unwrap_or_else(PoisonError::into_inner);
        *place = Some(state);
    }

    fn take(&self) -> Option<State> {
        self.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

thread_local! {
    /// The states that can't leave this thread, by the number of their slot.
    static STATES: RefCell<HashMap<u64, Box<dyn Any>>> = RefCell::default();
}

/// A slot for a state that can't leave the thread that uses it.
#[derive(Clone)]
pub(crate) struct OnItsThread(u64);

impl OnItsThread {
    pub(crate) fn new() -> OnItsThread {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        OnItsThread(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

impl<State: 'static> Keep<State> for OnItsThread {
    fn put(&self, state: State) {
        let state = Box::new(state);
        STATES.with_borrow_mut(|states| states.insert(self.0, state));
    }

    fn take(&self) -> Option<State> {
        let state = STATES.with_borrow_mut(|states| states.remove(&self.0))?;
        state.downcast().ok().map(|state| *state)
    }
}
