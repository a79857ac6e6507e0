//! Every handler gets a clone of the same `Arc`.

use std::hint::black_box;
use std::sync::Arc;

/// Shared state that all handlers read and no handler changes. It shares no
/// cache line with the reference counts of the `Arc`, which every core
/// changes.
#[repr(align(128))]
pub struct State {
    /// The value that a handler looks up.
    pub number: u64,
}

/// Serves `requests` requests, and calls `work` for each of them. Returns the
/// sum of the values that the handlers read.
#[inline(never)]
pub fn serve(state: &Arc<State>, requests: u64, work: impl Fn()) -> u64 {
    let handler = |state: Arc<State>| {
        work();
        black_box(()); // Keeps the compiler from removing the count.
        state.number
    };
    (0..requests).map(|_| handler(Arc::clone(state))).sum()
}
