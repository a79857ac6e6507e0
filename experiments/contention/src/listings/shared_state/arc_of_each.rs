//! Every worker has an `Arc` of its own, which its handlers clone.

use std::hint::black_box;
use std::sync::Arc;

/// What all handlers need. Nobody writes to it.
pub struct State {
    /// What a handler looks up.
    pub number: u64,
}

/// What a worker has for itself: its handlers are counted here, and no other
/// core's are.
#[repr(align(128))]
pub struct OfWorker(pub Arc<State>);

/// Serves so many requests, with some work for each; adds up what the handlers
/// found.
#[inline(never)]
pub fn serve(state: &Arc<OfWorker>, requests: u64, work: impl Fn()) -> u64 {
    let handler = |state: Arc<OfWorker>| {
        work();
        black_box(()); // Here it has to be counted.
        state.0.number
    };
    (0..requests).map(|_| handler(Arc::clone(state))).sum()
}
