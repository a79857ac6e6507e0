//! Slots for the state of a visit, which is kept between the tasks that use it.

use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A slot for one state.
pub(crate) trait Keep<State> {
    /// Puts the state into the slot.
    fn put(&self, state: State);

    /// Takes the state out, if there is one.
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
    /// The states that stay on this thread.
    static STATES: RefCell<HashMap<u64, Box<dyn Any>>> = RefCell::default();
}

/// A slot on the thread that uses it, for a state that has to stay there.
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
