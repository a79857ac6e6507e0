//! Glommio. It runs on Linux only, and wants 512 KiB of memory that it may lock (`ulimit -l`).

use crate::dedicated;
use crate::runtime::LocalRuntime;
use crate::spawn::spawner;

/// An executor that is not bound to a core.
pub const UNBOUND: LocalRuntime = dedicated::runtime("glommio", start);

#[cfg(target_os = "linux")]
fn start(name: &'static str) -> Result<(), String> {
    use crate::runtime::LocalTask;
    use glommio::{LocalExecutorBuilder, Placement};
    dedicated::start(name, || {
        let executor = LocalExecutorBuilder::new(Placement::Unbound).make();
        let executor = executor.map_err(crate::reason::no_ring)?;
        Ok(move |task: LocalTask| executor.run(async { glommio::spawn_local(task()).await }))
    })
}

#[cfg(not(target_os = "linux"))]
fn start(_name: &str) -> Result<(), String> {
    Err("glommio runs on Linux only".to_owned())
}

#[cfg(target_os = "linux")]
spawner! {
    /// Spawns on the executor of the calling task.
    |task| glommio::spawn_local(task).detach()
}

#[cfg(not(target_os = "linux"))]
spawner! {
    /// It is never called, since nothing can be started here.
    |_task| unreachable!("it cannot be started here")
}
