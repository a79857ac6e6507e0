//! smol.

use crate::runtime::Runtime;
use crate::spawn::spawner;

/// smol's global executor, with one thread per core of the machine (`SMOL_THREADS`, which the
/// harness sets). The threads belong to the process, and their number is read once. So if a cell
/// is pinned to one core, all threads share that core, while a program started on one core has
/// one thread, which is also smol's default.
pub const GLOBAL: Runtime = Runtime {
    name: "smol",
    has_one_thread: false,
    start: |_| Ok(()),
    // `smol::block_on` would make this thread wait in the reactor, and each event pass through it
    // to the executor's threads.
    run: |_, task| futures_lite::future::block_on(smol::spawn(task)),
};

spawner! {
    /// Spawns on the global executor.
    |task| smol::spawn(task).detach()
}
