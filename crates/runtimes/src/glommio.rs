//! The runtime Glommio, which runs only on Linux and needs 512 KiB of lockable memory (`ulimit
//! -l`).

use crate::dedicated;
use crate::runtime::LocalRuntime;
use crate::spawn::spawner;

/// A Glommio executor that is not pinned to a core.
pub const UNBOUND: LocalRuntime = dedicated::runtime("glommio", start);

#[cfg(target_os = "linux")]
fn start(name: &'static str) -> Result<(), String> {
    use crate::runtime::LocalTask;
    use glommio::{LocalExecutorBuilder, Placement};
    dedicated::start(name, || {
        // Checks first, since Glommio panics and prints a backtrace if it can't create a ring.
        host::rings::room_for_ring().map_err(crate::reason::not_built)?;
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
    /// Spawns a task on the Glommio executor of the calling task.
    |task| glommio::spawn_local(task).detach()
}

#[cfg(not(target_os = "linux"))]
spawner! {
    /// Never called, since Glommio can't be started on this system.
    |_task| unreachable!("it cannot be started here")
}
