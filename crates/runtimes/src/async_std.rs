//! async-std, which is discontinued: it is here because others have published figures of it.

use std::sync::Once;

use crate::runtime::{Runtime, Task};
use crate::spawn::spawner;

/// Its global executor, with a thread for each core.
pub const GLOBAL: Runtime = Runtime {
    name: "async-std",
    has_one_thread: false,
    // So that its threads are there before a cell is pinned to a core.
    start: |_| {
        static STARTED: Once = Once::new();
        STARTED.call_once(|| run(GLOBAL.name, Box::pin(async {})));
        Ok(())
    },
    run,
};

/// On a worker. Its own `block_on` would have the calling thread wait in the reactor, which is also
/// smol's.
fn run(_name: &str, task: Task) {
    futures_lite::future::block_on(async_std::task::spawn(task));
}

spawner! {
    /// Spawns on the global executor.
    |task| drop(async_std::task::spawn(task))
}
