//! smol.

use crate::runtime::Runtime;
use crate::spawn::spawner;

/// smol's global executor with a thread for each core of the machine (`SMOL_THREADS`, which the harness
/// sets), wherever it is used: the threads are the process's, and their number is read once. So on one
/// core they share it, where a program that is started there has one thread, which is smol's default as
/// well.
pub const GLOBAL: Runtime = Runtime {
    name: "smol",
    has_one_thread: false,
    start: |_| Ok(()),
    // `smol::block_on` would have this thread wait in the reactor, and each event go through it to the
    // executor's threads.
    run: |_, task| futures_lite::future::block_on(smol::spawn(task)),
};

spawner! {
    /// Spawns on the global executor.
    |task| smol::spawn(task).detach()
}
