//! Glommio. It runs on Linux only, and wants 512 KiB of memory that it may lock (`ulimit -l`).

use std::future::Future;

use crate::dedicated;
use crate::runtime::LocalRuntime;
use crate::spawn::Spawn;

/// An executor that is not bound to a core.
pub const UNBOUND: LocalRuntime = LocalRuntime {
    name: "glommio",
    has_one_thread: true,
    start,
    run: |task| dedicated::run(UNBOUND.name, task),
};

#[cfg(target_os = "linux")]
fn start() -> Result<(), String> {
    use crate::runtime::LocalTask;
    use glommio::{LocalExecutorBuilder, Placement};
    dedicated::start(UNBOUND.name, || {
        let executor = LocalExecutorBuilder::new(Placement::Unbound).make();
        let executor = executor.map_err(crate::reason::no_ring)?;
        Ok(move |task: LocalTask| executor.run(async { glommio::spawn_local(task()).await }))
    })
}

#[cfg(not(target_os = "linux"))]
fn start() -> Result<(), String> {
    Err("glommio runs on Linux only".to_owned())
}

/// Spawns on the executor of the calling task.
#[derive(Debug, Clone, Copy)]
pub struct Spawner;

impl Spawn for Spawner {
    #[cfg(target_os = "linux")]
    fn spawn(self, task: impl Future<Output = ()> + Send + 'static) {
        glommio::spawn_local(task).detach();
    }

    #[cfg(not(target_os = "linux"))]
    fn spawn(self, _task: impl Future<Output = ()> + Send + 'static) {
        unreachable!("it cannot be started here");
    }
}
