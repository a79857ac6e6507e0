//! async-std. It is discontinued, but others have published figures for it.

use std::sync::Once;

use crate::runtime::{Runtime, Task};
use crate::spawn::spawner;

/// async-std's global executor, with one thread per core.
pub const GLOBAL: Runtime = Runtime {
    name: "async-std",
    has_one_thread: false,
    // Starts the executor's threads now, before the calling thread is pinned to a core.
    start: |_| {
        static STARTED: Once = Once::new();
        STARTED.call_once(|| run(GLOBAL.name, Box::pin(async {})));
        Ok(())
    },
    run,
};

/// Runs the task on a worker and waits with a plain `block_on`. In the runtime's own `block_on`,
/// the calling thread would wait in the reactor, which async-std shares with smol.
fn run(_name: &str, task: Task) {
    futures_lite::future::block_on(async_std::task::spawn(task));
}

spawner! {
    /// Spawns a task on async-std's global executor.
    |task| drop(async_std::task::spawn(task))
}
