//! compio.

use std::future::Future;

use compio::driver::ProactorBuilder;
use compio::runtime;

use crate::dedicated;
use crate::reason::no_ring;
use crate::runtime::{LocalRuntime, LocalTask};
use crate::spawn::Spawn;
use crate::task_running::TaskRunning;

/// On its default driver (io_uring; others elsewhere).
pub const DEFAULT: LocalRuntime = LocalRuntime {
    name: "compio",
    has_one_thread: true,
    start: || start(DEFAULT.name, TaskRunning::Interrupting),
    run: |task| dedicated::run(DEFAULT.name, task),
};

/// With a ring for one thread whose completions interrupt nobody, and the flag that compio's documentation
/// wants with it: by that it sees that some are to be had.
pub const COOPERATIVE: LocalRuntime = LocalRuntime {
    name: "compio, cooperative",
    has_one_thread: true,
    start: || start(COOPERATIVE.name, TaskRunning::Cooperative),
    run: |task| dedicated::run(COOPERATIVE.name, task),
};

/// With a ring for one thread whose completions wait until it waits for them.
pub const DEFERRED: LocalRuntime = LocalRuntime {
    name: "compio, deferred",
    has_one_thread: true,
    start: || start(DEFERRED.name, TaskRunning::Deferred),
    run: |task| dedicated::run(DEFERRED.name, task),
};

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

/// Spawns on the runtime of the calling task.
#[derive(Debug, Clone, Copy)]
pub struct Spawner;

impl Spawn for Spawner {
    fn spawn(self, task: impl Future<Output = ()> + Send + 'static) {
        runtime::spawn(task).detach();
    }
}
