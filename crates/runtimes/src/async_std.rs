//! async-std, which is discontinued. It is included because others have published figures for it.

use std::sync::Once;

use crate::runtime::{Runtime, Task};
use crate::spawn::spawner;

/// The global executor, with one thread per core.
pub const GLOBAL: Runtime = Runtime {
    name: "async-std",
    has_one_thread: false,
    // Starts the executor's threads before a cell is pinned to a core.
    start: |_| {
        static STARTED: Once = Once::new();
        STARTED.call_once(|| run(GLOBAL.name, Box::pin(async {})));
        Ok(())
    },
    run,
};

/// Runs the task on a worker. The runtime's own `block_on` would make the calling thread wait in
/// the reactor, which async-std shares with smol.
fn run(_name: &str, task: Task) {
    futures_lite::future::block_on(async_std::task::spawn(task));
}

spawner! {
    /// Spawns on the global executor.
    |task| drop(async_std::task::spawn(task))
}
