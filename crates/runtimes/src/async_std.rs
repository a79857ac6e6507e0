//! async-std, which is discontinued: it is here because others have published figures of it.

use std::future::Future;
use std::sync::Once;

use crate::runtime::{Runtime, Task};
use crate::spawn::Spawn;

/// Its global executor, with a thread for each core.
pub const GLOBAL: Runtime = Runtime {
    name: "async-std",
    has_one_thread: false,
    // So that its threads are there before a cell is pinned to a core.
    start: || {
        static STARTED: Once = Once::new();
        STARTED.call_once(|| run(Box::pin(async {})));
        Ok(())
    },
    run,
};

/// On a worker. Its own `block_on` would have the calling thread wait in the reactor, which is also
/// smol's.
fn run(task: Task) {
    futures_lite::future::block_on(async_std::task::spawn(task));
}

/// Spawns on the global executor.
#[derive(Debug, Clone, Copy)]
pub struct Spawner;

impl Spawn for Spawner {
    fn spawn(self, task: impl Future<Output = ()> + Send + 'static) {
        drop(async_std::task::spawn(task));
    }
}
