//! Tokio tasks as in the published measurement: the future passed to
//! `block_on` fills and empties a `JoinSet` on the calling thread, which
//! isn't a worker.

use std::thread::available_parallelism;

use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;

/// Creates a runtime with one worker per core, with timers and without I/O.
pub fn runtime() -> Runtime {
    let workers = available_parallelism().map_or(4, usize::from);
    let mut builder = Builder::new_multi_thread();
    let runtime = builder.worker_threads(workers).enable_time().build();
    runtime.expect("a Tokio runtime can be built")
}

/// Creates `units` tasks that return their id, collects them in the order in
/// which they finish, and adds up the ids.
pub fn create_and_collect(runtime: &Runtime, units: u64) -> u64 {
    runtime.block_on(async {
        let mut tasks: JoinSet<u64> =
            (0..units).map(|id| async move { id }).collect();
        let mut sum = 0;
        while let Some(id) = tasks.join_next().await {
            sum += id.expect("the task returns its id");
        }
        sum
    })
}
