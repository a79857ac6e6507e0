//! Functions that run the tasks of the connections, one function per runtime.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::thread;

use schedulers::{Executor, Policy};
use tokio::runtime::{Builder, Runtime};

use super::workers::WORKERS;

pub(super) type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Starts one or several runtimes, spawns all tasks on them, calls the given
/// function, and then shuts down the runtimes. The function must return only
/// after all tasks have finished.
pub(super) type Serve = fn(Vec<Task>, &mut dyn FnMut()) -> io::Result<()>;

/// Runs the tasks on our executor, where each task stays on one worker.
pub(super) fn ours_pinned(
    tasks: Vec<Task>,
    until: &mut dyn FnMut(),
) -> io::Result<()> {
    ours(Policy::Pinned, tasks, until)
}

/// Runs the tasks on our executor, where an idle worker takes tasks from
/// another worker.
pub(super) fn ours_stealing(
    tasks: Vec<Task>,
    until: &mut dyn FnMut(),
) -> io::Result<()> {
    ours(Policy::Stealing, tasks, until)
}

fn ours(
    policy: Policy,
    tasks: Vec<Task>,
    until: &mut dyn FnMut(),
) -> io::Result<()> {
    let executor = Executor::new(policy, WORKERS)?;
    for task in tasks {
        drop(executor.spawn(task));
    }
    until();
    Ok(())
}

/// Runs the tasks on one Tokio runtime, whose workers steal tasks from each
/// other.
pub(super) fn tokio(
    tasks: Vec<Task>,
    until: &mut dyn FnMut(),
) -> io::Result<()> {
    let mut builder = Builder::new_multi_thread();
    let runtime = builder.worker_threads(WORKERS).enable_all().build()?;
    for task in tasks {
        runtime.spawn(task);
    }
    until();
    Ok(())
}

/// Runs the tasks on one Tokio runtime per worker. The tasks are distributed
/// round robin, and no task leaves its runtime.
pub(super) fn tokio_each(
    tasks: Vec<Task>,
    until: &mut dyn FnMut(),
) -> io::Result<()> {
    let build = |_| Builder::new_current_thread().enable_all().build();
    let runtimes: Vec<Runtime> =
        (0..WORKERS).map(build).collect::<io::Result<_>>()?;
    let mut dealt: Vec<Vec<Task>> = (0..WORKERS).map(|_| Vec::new()).collect();
    for (turn, task) in tasks.into_iter().enumerate() {
        dealt[turn % WORKERS].push(task);
    }
    thread::scope(|scope| {
        for (runtime, tasks) in runtimes.iter().zip(dealt) {
            scope.spawn(move || {
                runtime.block_on(async {
                    let tasks: Vec<_> =
                        tasks.into_iter().map(tokio::spawn).collect();
                    for task in tasks {
                        task.await.expect("no request panics");
                    }
                });
            });
        }
        until();
    });
    Ok(())
}
