//! Access to the worker that runs on the current thread.

use std::cell::OnceCell;
use std::sync::Arc;

use async_task::Runnable;

use crate::scheduling::Local;
use crate::shared::Shared;

/// The data of a worker that tasks running on its thread use.
pub(crate) struct Current {
    pub(crate) shared: Arc<Shared>,
    pub(crate) index: usize,
    pub(crate) queue: Box<dyn Local<Runnable>>,
}

thread_local! {
    static CURRENT: OnceCell<Current> = const { OnceCell::new() };
}

/// Makes `worker` the worker of the calling thread, until the thread ends.
pub(crate) fn set(worker: Current) {
    let fresh = CURRENT.with(|current| current.set(worker).is_ok());
    assert!(fresh, "a thread is the worker of one executor");
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
