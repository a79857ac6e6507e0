//! The wrong way: the future runs on the thread that calls `block_on`.

use std::future::Future;

use tokio::runtime::Runtime;

/// Runs `future` on the calling thread. If it spawns tasks, these run on the
/// runtime's workers.
pub fn run<F: Future>(runtime: &Runtime, future: F) -> F::Output {
    runtime.block_on(future)
}
