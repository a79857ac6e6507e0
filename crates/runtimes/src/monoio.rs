//! Monoio, on either of its drivers.

use std::future::Future;

use monoio::RuntimeBuilder;

use crate::dedicated;
#[cfg(target_os = "linux")]
use crate::reason::no_ring;
use crate::reason::not_built;
use crate::runtime::{LocalRuntime, LocalTask};
use crate::spawn::Spawn;

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

/// On io_uring.
pub const IO_URING: LocalRuntime = LocalRuntime {
    name: "monoio io_uring",
    has_one_thread: true,
    start: start_on_io_uring,
    run: |task| dedicated::run(IO_URING.name, task),
};

#[cfg(target_os = "linux")]
fn start_on_io_uring() -> Result<(), String> {
    dedicated::start(IO_URING.name, || {
        let builder = RuntimeBuilder::<monoio::IoUringDriver>::new();
        let mut runtime = builder.enable_timer().build().map_err(no_ring)?;
        Ok(move |task: LocalTask| runtime.block_on(async { monoio::spawn(task()).await }))
    })
}

#[cfg(not(target_os = "linux"))]
fn start_on_io_uring() -> Result<(), String> {
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
