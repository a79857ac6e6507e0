//! Handlers borrow the state from their worker, which owns it while they run.

use std::hint::black_box;

/// Shared state that all handlers read and no handler changes.
pub struct State {
    /// The value that a handler looks up.
    pub number: u64,
}

/// Serves `requests` requests, and calls `work` for each of them. Returns the
/// sum of the values that the handlers read.
#[inline(never)]
pub fn serve(state: &State, requests: u64, work: impl Fn()) -> u64 {
    let handler = |state: &State| {
        work();
        black_box(()); // The same barrier as in the listings that count.
        state.number
    };
    (0..requests).map(|_| handler(black_box(state))).sum()
}
