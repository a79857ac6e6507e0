//! Every worker has its own `Arc`, which its handlers clone.

use std::hint::black_box;
use std::sync::Arc;

/// Shared state that all handlers read and no handler changes.
pub struct State {
    /// The value that a handler looks up.
    pub number: u64,
}

/// A worker's own `Arc`: only the handlers of that worker write its reference
/// count.
#[repr(align(128))]
pub struct OfWorker(pub Arc<State>);

/// Serves `requests` requests, and calls `work` for each of them. Returns the
/// sum of the values that the handlers read.
#[inline(never)]
pub fn serve(state: &Arc<OfWorker>, requests: u64, work: impl Fn()) -> u64 {
    let handler = |state: Arc<OfWorker>| {
        work();
        black_box(()); // Keeps the compiler from removing the count.
        state.0.number
    };
    (0..requests).map(|_| handler(Arc::clone(state))).sum()
}
