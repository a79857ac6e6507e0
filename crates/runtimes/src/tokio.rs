//! Tokio: its multi-thread runtime, its current_thread runtime, and its `LocalSet`.

use std::panic::resume_unwind;
use std::sync::LazyLock;

use tokio::runtime::{Builder, Runtime as Tokio};
use tokio::task::{JoinError, LocalSet};

use crate::dedicated;
use crate::reason::not_built;
use crate::runtime::{LocalRuntime, LocalTask, Runtime, Task};
use crate::spawn::spawner;

/// The multi-thread runtime with one worker per core.
pub const MULTI_THREAD: Runtime = Runtime {
    name: "tokio multi-thread",
    has_one_thread: false,
    start: |_| built(&WORKER_PER_CORE).map(drop),
    run: |_, task| run_on(multi_thread(), task),
};

/// The multi-thread runtime with one worker, as in a program that is started on one core. Belongs
/// to the same contender as [`MULTI_THREAD`].
pub const ONE_WORKER: Runtime = Runtime {
    name: MULTI_THREAD.name,
    has_one_thread: false,
    start: |_| built(&ONE).map(drop),
    run: |_, task| run_on(built(&ONE).expect("it was started"), task),
};

/// Tokio's current_thread runtime.
pub const CURRENT_THREAD: Runtime = dedicated::runtime("tokio current_thread", |name| {
    dedicated::start(name, || {
        let runtime = Builder::new_current_thread().enable_all().build().map_err(not_built)?;
        Ok(move |task: Task| run_on(&runtime, task))
    })
});

/// Tokio's `LocalSet` on a current_thread runtime.
pub const LOCAL_SET: LocalRuntime = dedicated::runtime("tokio LocalSet", |name| {
    dedicated::start(name, || {
        let runtime = Builder::new_current_thread().enable_all().build().map_err(not_built)?;
        let set = LocalSet::new();
        Ok(move |task: LocalTask| finished(set.block_on(&runtime, set.spawn_local(task()))))
    })
});

spawner! {
    /// Spawns a task on the Tokio runtime of the calling task.
    |task| tokio::spawn(task)
}

/// Returns the multi-thread runtime behind [`MULTI_THREAD`].
///
/// # Panics
///
/// Panics if the runtime cannot be built here.
pub fn multi_thread() -> &'static Tokio {
    built(&WORKER_PER_CORE).unwrap_or_else(|reason| panic!("{reason}"))
}

/// A new multi-thread runtime with one worker per core. Dropping it ends all its threads,
/// including those of the blocking pool, which would otherwise stay for ten seconds.
#[derive(Debug)]
pub struct Fresh(Tokio);

impl Fresh {
    /// Creates the runtime.
    ///
    /// # Errors
    ///
    /// Fails if the runtime cannot be built here. The error contains Tokio's message.
    pub fn new() -> Result<Fresh, String> {
        let mut builder = Builder::new_multi_thread();
        let runtime = builder.enable_all().thread_name("for a visit").build();
        runtime.map(Fresh).map_err(not_built)
    }

    /// Runs a task on a worker, and returns when the task has finished. If the task panics, the
    /// panic resumes in the caller.
    pub fn run(&self, task: Task) {
        run_on(&self.0, task);
    }
}

static WORKER_PER_CORE: LazyLock<Result<Tokio, String>> =
    LazyLock::new(|| Tokio::new().map_err(not_built));

static ONE: LazyLock<Result<Tokio, String>> = LazyLock::new(|| {
    Builder::new_multi_thread().worker_threads(1).enable_all().build().map_err(not_built)
});

fn built(runtime: &'static LazyLock<Result<Tokio, String>>) -> Result<&'static Tokio, String> {
    runtime.as_ref().map_err(String::clone)
}

fn run_on(runtime: &Tokio, task: Task) {
    finished(runtime.block_on(runtime.spawn(task)));
}

/// If the task has panicked, resumes the panic in the caller.
fn finished(outcome: Result<(), JoinError>) {
    outcome.unwrap_or_else(|error| resume_unwind(error.into_panic()));
}
