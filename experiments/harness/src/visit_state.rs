//! The state of a visit: where it is between the batches that use it.

use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A place for one state.
pub(crate) trait Keep<State> {
    /// Puts it there.
    fn put(&self, state: State);

    /// Takes it away, if it is there.
    fn take(&self) -> Option<State>;
}

/// A place that every thread reaches.
pub(crate) struct Anywhere<State>(Arc<Mutex<Option<State>>>);

impl<State> Default for Anywhere<State> {
    fn default() -> Self {
        Anywhere(Arc::default())
    }
}

impl<State> Clone for Anywhere<State> {
    fn clone(&self) -> Self {
        Anywhere(Arc::clone(&self.0))
    }
}

impl<State> Keep<State> for Anywhere<State> {
    fn put(&self, state: State) {
        let mut place = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *place = Some(state);
    }

    fn take(&self) -> Option<State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

thread_local! {
    /// The states that stay on this thread.
    static STATES: RefCell<HashMap<u64, Box<dyn Any>>> = RefCell::default();
}

/// A place on whatever thread it is used on, for a state that has to stay there.
pub(crate) struct OnItsThread<State> {
    key: u64,
    state: PhantomData<fn(State) -> State>,
}

impl<State> OnItsThread<State> {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let key = NEXT.fetch_add(1, Ordering::Relaxed);
        OnItsThread { key, state: PhantomData }
    }
}

impl<State> Clone for OnItsThread<State> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<State> Copy for OnItsThread<State> {}

impl<State: 'static> Keep<State> for OnItsThread<State> {
    fn put(&self, state: State) {
        let state = Box::new(state);
        STATES.with_borrow_mut(|states| states.insert(self.key, state));
    }

    fn take(&self) -> Option<State> {
        let state =
            STATES.with_borrow_mut(|states| states.remove(&self.key))?;
        state.downcast().ok().map(|state| *state)
    }
}
