//! The runtime Monoio, on each of its drivers.

use monoio::RuntimeBuilder;

use crate::dedicated;
#[cfg(target_os = "linux")]
use crate::reason::no_ring;
use crate::reason::not_built;
use crate::runtime::{LocalRuntime, LocalTask};
use crate::spawn::spawner;
use crate::task_running::TaskRunning;

/// Monoio on its legacy driver (epoll on Linux).
pub const EPOLL: LocalRuntime = dedicated::runtime("monoio epoll", |name| {
    dedicated::start(name, || {
        let builder = RuntimeBuilder::<monoio::LegacyDriver>::new();
        let mut runtime = builder.enable_timer().build().map_err(not_built)?;
        Ok(move |task: LocalTask| runtime.block_on(async { monoio::spawn(task()).await }))
    })
});

/// Monoio on io_uring, with the builder's default ring.
pub const IO_URING: LocalRuntime = dedicated::runtime("monoio io_uring", |name| {
    start_on_io_uring(name, TaskRunning::Interrupting)
});

/// Monoio on io_uring. Only one thread submits to the ring, and completions don't interrupt it.
pub const IO_URING_COOPERATIVE: LocalRuntime =
    dedicated::runtime("monoio io_uring, cooperative", |name| {
        start_on_io_uring(name, TaskRunning::Cooperative)
    });

/// Monoio on io_uring. Only one thread submits to the ring, and completions are delivered only
/// when that thread waits for them. Monoio waits if no task is ready, as in an echo server. While
/// tasks are ready, it only submits operations, and completions arrive later.
pub const IO_URING_DEFERRED: LocalRuntime =
    dedicated::runtime("monoio io_uring, deferred", |name| {
        start_on_io_uring(name, TaskRunning::Deferred)
    });

#[cfg(target_os = "linux")]
fn start_on_io_uring(name: &'static str, running: TaskRunning) -> Result<(), String> {
    dedicated::start(name, move || {
        let mut ring = io_uring::IoUring::builder();
        match running {
            TaskRunning::Interrupting => {}
            TaskRunning::Cooperative => drop(ring.setup_single_issuer().setup_coop_taskrun()),
            TaskRunning::Deferred => drop(ring.setup_single_issuer().setup_defer_taskrun()),
        }
        let builder = RuntimeBuilder::<monoio::IoUringDriver>::new().uring_builder(ring);
        let mut runtime = builder.enable_timer().build().map_err(no_ring)?;
        Ok(move |task: LocalTask| runtime.block_on(async { monoio::spawn(task()).await }))
    })
}

#[cfg(not(target_os = "linux"))]
fn start_on_io_uring(_name: &'static str, _running: TaskRunning) -> Result<(), String> {
    Err("io_uring is Linux's".to_owned())
}

spawner! {
    /// Spawns a task on the Monoio runtime of the calling task, whichever driver it has.
    |task| drop(monoio::spawn(task))
}
