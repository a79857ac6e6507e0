//! Handlers borrow the state from their worker, which owns it while they run.

use std::hint::black_box;

/// State that all handlers read and none writes.
pub struct State {
    /// The value that a handler looks up.
    pub number: u64,
}

/// Serves `requests` requests and calls `work` for each. Returns the sum of
/// the values that the handlers found.
#[inline(never)]
pub fn serve(state: &State, requests: u64, work: impl Fn()) -> u64 {
    let handler = |state: &State| {
        work();
        black_box(()); // The same barrier as in the listings that count.
        state.number
    };
    (0..requests).map(|_| handler(black_box(state))).sum()
}
