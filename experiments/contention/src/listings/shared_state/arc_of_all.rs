//! Every handler is given a clone of the one `Arc`.

use std::hint::black_box;
use std::sync::Arc;

/// What all handlers need. Nobody writes to it, and it shares no cache line with
/// the counts in the `Arc`, which everybody writes to.
#[repr(align(128))]
pub struct State {
    /// What a handler looks up.
    pub number: u64,
}

/// Serves so many requests, with some work for each; adds up what the handlers
/// found.
#[inline(never)]
pub fn serve(state: &Arc<State>, requests: u64, work: impl Fn()) -> u64 {
    let handler = |state: Arc<State>| {
        work();
        black_box(()); // Here it has to be counted.
        state.number
    };
    (0..requests).map(|_| handler(Arc::clone(state))).sum()
}
