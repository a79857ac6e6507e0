//! Handlers borrow the state from the worker, who has it for as long as they run.

use std::hint::black_box;

/// What all handlers need. Nobody writes to it.
pub struct State {
    /// What a handler looks up.
    pub number: u64,
}

/// Serves so many requests, with some work for each; adds up what the handlers
/// found.
#[inline(never)]
pub fn serve(state: &State, requests: u64, work: impl Fn()) -> u64 {
    let handler = |state: &State| {
        work();
        black_box(()); // As where it has to be counted.
        state.number
    };
    (0..requests).map(|_| handler(black_box(state))).sum()
}
