//! The runtime compio, with several settings of its ring.

use compio::driver::ProactorBuilder;
use compio::runtime;

use crate::dedicated;
use crate::reason::no_ring;
use crate::runtime::{LocalRuntime, LocalTask};
use crate::spawn::spawner;
use crate::task_running::TaskRunning;

/// compio with its default driver (io_uring on Linux).
pub const DEFAULT: LocalRuntime =
    dedicated::runtime("compio", |name| start(name, TaskRunning::Interrupting));

/// compio on a ring for one thread. Completions set a flag instead of interrupting the thread, as
/// compio's documentation recommends.
pub const COOPERATIVE: LocalRuntime =
    dedicated::runtime("compio, cooperative", |name| start(name, TaskRunning::Cooperative));

/// compio on a ring for one thread that delivers completions only when the thread waits for them.
pub const DEFERRED: LocalRuntime =
    dedicated::runtime("compio, deferred", |name| start(name, TaskRunning::Deferred));

fn start(name: &'static str, running: TaskRunning) -> Result<(), String> {
    dedicated::start(name, move || {
        let mut driver = ProactorBuilder::new();
        match running {
            TaskRunning::Interrupting => {}
            TaskRunning::Cooperative => {
                driver.single_issuer(true).coop_taskrun(true).taskrun_flag(true);
            }
            TaskRunning::Deferred => {
                driver.single_issuer(true).defer_taskrun(true);
            }
        }
        let runtime = runtime::RuntimeBuilder::new().with_proactor(driver).build();
        let runtime = runtime.map_err(no_ring)?;
        Ok(move |task: LocalTask| {
            let task = runtime.spawn(task());
            runtime.block_on(task).unwrap_or_else(|error| panic!("{error}"));
        })
    })
}

spawner! {
    /// Spawns a task on the runtime of the calling task.
    |task| runtime::spawn(task).detach()
}
