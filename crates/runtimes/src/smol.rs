//! The global executor of smol.

use crate::runtime::Runtime;
use crate::spawn::spawner;

/// smol's global executor, with one thread per core of the machine (`SMOL_THREADS`, which the
/// harness sets). The number of threads is fixed when they are started, for the whole process. So
/// if a measurement is pinned to one core, all threads share that core. A program that is started
/// on one core would have only one thread, and so would smol by default.
pub const GLOBAL: Runtime = Runtime {
    name: "smol",
    has_one_thread: false,
    start: |_| Ok(()),
    // In `smol::block_on`, this thread would wait in the reactor, and would have to pass each
    // event to the executor's threads.
    run: |_, task| futures_lite::future::block_on(smol::spawn(task)),
};

spawner! {
    /// Spawns a task on smol's global executor.
    |task| smol::spawn(task).detach()
}
