//! The worker whose thread this is.

use std::cell::OnceCell;
use std::sync::Arc;

use async_task::Runnable;

use crate::scheduling::Local;
use crate::shared::Shared;

/// A worker, as what runs on its thread sees it.
pub(crate) struct Current {
    /// What it shares with the others.
    pub(crate) shared: Arc<Shared>,
    /// Its place among them.
    pub(crate) index: usize,
    /// Its tasks.
    pub(crate) queue: Box<dyn Local<Runnable>>,
}

thread_local! {
    static CURRENT: OnceCell<Current> = const { OnceCell::new() };
}

/// Makes this thread that worker, for as long as it lives.
pub(crate) fn set(worker: Current) {
    let fresh = CURRENT.with(|current| current.set(worker).is_ok());
    assert!(fresh, "a thread is the worker of one executor");
}

/// Shows the worker whose thread this is; none on other threads, and on those
/// that have ended but for their destructors.
pub(crate) fn with<R>(f: impl FnOnce(Option<&Current>) -> R) -> R {
    let mut f = Some(f);
    let shown = CURRENT.try_with(|current| {
        f.take().map(|f| f(current.get())).expect("it is taken once")
    });
    shown.unwrap_or_else(|_| f.take().expect("it was not called")(None))
}
