//! compio.

use std::future::Future;

use compio::runtime;

use crate::dedicated;
use crate::reason::no_ring;
use crate::runtime::{LocalRuntime, LocalTask};
use crate::spawn::Spawn;

/// On its default driver (io_uring; others elsewhere).
pub const DEFAULT: LocalRuntime = LocalRuntime {
    name: "compio",
    has_one_thread: true,
    start: || {
        dedicated::start(DEFAULT.name, || {
            let runtime = runtime::Runtime::new().map_err(no_ring)?;
            Ok(move |task: LocalTask| {
                let task = runtime.spawn(task());
                runtime.block_on(task).unwrap_or_else(|error| panic!("{error}"));
            })
        })
    },
    run: |task| dedicated::run(DEFAULT.name, task),
};

/// Spawns on the runtime of the calling task.
#[derive(Debug, Clone, Copy)]
pub struct Spawner;

impl Spawn for Spawner {
    fn spawn(self, task: impl Future<Output = ()> + Send + 'static) {
        runtime::spawn(task).detach();
    }
}
