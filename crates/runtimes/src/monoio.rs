//! Monoio, on either of its drivers.

use std::future::Future;

use monoio::RuntimeBuilder;

use crate::dedicated;
#[cfg(target_os = "linux")]
use crate::reason::no_ring;
use crate::reason::not_built;
use crate::runtime::{LocalRuntime, LocalTask};
use crate::spawn::Spawn;
use crate::task_running::TaskRunning;

/// On its legacy driver (epoll; kqueue and others elsewhere).
pub const EPOLL: LocalRuntime = LocalRuntime {
    name: "monoio epoll",
    has_one_thread: true,
    start: || {
        dedicated::start(EPOLL.name, || {
            let builder = RuntimeBuilder::<monoio::LegacyDriver>::new();
            let mut runtime = builder.enable_timer().build().map_err(not_built)?;
            Ok(move |task: LocalTask| runtime.block_on(async { monoio::spawn(task()).await }))
        })
    },
    run: |task| dedicated::run(EPOLL.name, task),
};

/// On io_uring, with the ring that its builder makes.
pub const IO_URING: LocalRuntime = LocalRuntime {
    name: "monoio io_uring",
    has_one_thread: true,
    start: || start_on_io_uring(IO_URING.name, TaskRunning::Interrupting),
    run: |task| dedicated::run(IO_URING.name, task),
};

/// On io_uring, with a ring for one thread whose completions interrupt nobody.
pub const IO_URING_COOPERATIVE: LocalRuntime = LocalRuntime {
    name: "monoio io_uring, cooperative",
    has_one_thread: true,
    start: || start_on_io_uring(IO_URING_COOPERATIVE.name, TaskRunning::Cooperative),
    run: |task| dedicated::run(IO_URING_COOPERATIVE.name, task),
};

/// On io_uring, with a ring for one thread whose completions wait until it waits for them. Monoio waits so
/// where no task is ready, which is how an echo server waits; where tasks are, it submits only, and what
/// has been completed comes later.
pub const IO_URING_DEFERRED: LocalRuntime = LocalRuntime {
    name: "monoio io_uring, deferred",
    has_one_thread: true,
    start: || start_on_io_uring(IO_URING_DEFERRED.name, TaskRunning::Deferred),
    run: |task| dedicated::run(IO_URING_DEFERRED.name, task),
};

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

/// Spawns on either driver.
#[derive(Debug, Clone, Copy)]
pub struct Spawner;

impl Spawn for Spawner {
    fn spawn(self, task: impl Future<Output = ()> + Send + 'static) {
        drop(monoio::spawn(task));
    }
}
