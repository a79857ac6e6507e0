//! Access to the executor that the current thread belongs to.

use std::cell::OnceCell;
use std::io;
use std::sync::Arc;

use async_task::Runnable;

use crate::reactor::Handle;
use crate::shared::Shared;
use crate::worker::Worker;

/// The data of an executor thread that tasks running on this thread use.
pub(crate) struct Current {
    pub(crate) shared: Arc<Shared>,
    pub(crate) worker: Worker<Runnable>,
}

thread_local! {
    static CURRENT: OnceCell<Current> = const { OnceCell::new() };
}

/// Makes the calling thread a worker, and runs tasks until the executor ends.
pub(crate) fn run(current: Current) {
    CURRENT.with(|cell| {
        let current = cell.get_or_init(|| current);
        let poll = |task: Runnable| {
            task.run();
        };
        let Shared { scheduler, .. } = &*current.shared;
        current.worker.run(poll, || {
            current.shared.drop_tasks(|| scheduler.roster.not_ended() - 1);
        });
    });
}

/// Calls `f` with the calling thread's worker. Calls it with `None` on other
/// threads, and while a thread drops its thread-local values.
pub(crate) fn with<R>(f: impl FnOnce(Option<&Current>) -> R) -> R {
    let mut f = Some(f);
    let shown = CURRENT.try_with(|current| {
        f.take().map(|f| f(current.get())).expect("it is taken once")
    });
    shown.unwrap_or_else(|_| f.take().expect("it was not called")(None))
}

/// Returns the reactor of the executor to which the calling thread belongs.
///
/// # Errors
///
/// If the thread belongs to no executor.
pub(crate) fn reactor() -> io::Result<Arc<Handle>> {
    let handle = |current: &Current| {
        Arc::clone(&current.shared.scheduler.reactor.handle)
    };
    with(|current| current.map(handle)).ok_or_else(|| {
        io::Error::other(
            "this thread has no reactor: wait for sockets and timers in a \
             task of an Executor",
        )
    })
}
