//! Our own executor from `experiments/schedulers`, with two policies.

use std::sync::LazyLock;

use schedulers::{Executor, Policy};

use crate::reason::not_built;
use crate::runtime::{Runtime, Task};
use crate::spawn::spawner;

/// Our executor with one worker per core. Tasks stay on the worker that they were assigned to.
pub const PINNED: Runtime = Runtime {
    name: Policy::Pinned.contender(),
    has_one_thread: false,
    start: |_| built(&WITH_PINNED).map(drop),
    run: |_, task| run_on(&WITH_PINNED, task),
};

/// Our executor with one worker per core, whose workers steal tasks from each other.
pub const STEALING: Runtime = Runtime {
    name: Policy::Stealing.contender(),
    has_one_thread: false,
    start: |_| built(&WITH_STEALING).map(drop),
    run: |_, task| run_on(&WITH_STEALING, task),
};

spawner! {
    /// Spawns a task on our executor from within another of its tasks. Works under either
    /// scheduling policy.
    |task| drop(schedulers::spawn(task))
}

type Built = LazyLock<Result<Executor, String>>;

static WITH_PINNED: Built = LazyLock::new(|| build(Policy::Pinned));

static WITH_STEALING: Built = LazyLock::new(|| build(Policy::Stealing));

fn build(policy: Policy) -> Result<Executor, String> {
    Executor::new(policy, host::cores::count()).map_err(not_built)
}

fn built(executor: &'static Built) -> Result<&'static Executor, String> {
    executor.as_ref().map_err(String::clone)
}

/// Runs `task` on a worker of our executor. If the task panics, the panic resumes in the caller.
fn run_on(executor: &'static Built, task: Task) {
    built(executor).expect("it was started").block_on(task);
}
