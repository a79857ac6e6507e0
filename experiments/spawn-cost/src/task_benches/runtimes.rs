//! How each runtime spawns a task and forgets it.

use std::future::Future;

use super::kernels::Runtime;

/// Tokio, either flavour.
#[derive(Clone, Copy)]
pub(super) struct Tokio;

impl Runtime for Tokio {
    fn spawn(self, task: impl Future<Output = ()> + Send + 'static) {
        tokio::spawn(task);
    }
}

#[derive(Clone, Copy)]
pub(super) struct Smol;

impl Runtime for Smol {
    fn spawn(self, task: impl Future<Output = ()> + Send + 'static) {
        smol::spawn(task).detach();
    }
}

/// Monoio, either driver.
#[derive(Clone, Copy)]
pub(super) struct Monoio;

impl Runtime for Monoio {
    fn spawn(self, task: impl Future<Output = ()> + Send + 'static) {
        drop(monoio::spawn(task));
    }
}

#[derive(Clone, Copy)]
pub(super) struct Glommio;

impl Runtime for Glommio {
    #[cfg(target_os = "linux")]
    fn spawn(self, task: impl Future<Output = ()> + Send + 'static) {
        glommio::spawn_local(task).detach();
    }

    #[cfg(not(target_os = "linux"))]
    fn spawn(self, _task: impl Future<Output = ()> + Send + 'static) {
        unreachable!("its executor cannot be started here");
    }
}

#[derive(Clone, Copy)]
pub(super) struct Compio;

impl Runtime for Compio {
    fn spawn(self, task: impl Future<Output = ()> + Send + 'static) {
        compio::runtime::spawn(task).detach();
    }
}

/// compio, where spawning wakes the runtime, which otherwise asks its driver
/// for events with a timeout of zero, and sets a timer for that.
#[derive(Clone, Copy)]
pub(super) struct CompioWoken;

impl Runtime for CompioWoken {
    fn spawn(self, task: impl Future<Output = ()> + Send + 'static) {
        compio::runtime::spawn(task).detach();
        compio::runtime::Runtime::with_current(|runtime| {
            runtime.waker().wake();
        });
    }
}

#[cfg(feature = "async-std")]
#[derive(Clone, Copy)]
pub(super) struct AsyncStd;

#[cfg(feature = "async-std")]
impl Runtime for AsyncStd {
    fn spawn(self, task: impl Future<Output = ()> + Send + 'static) {
        drop(async_std::task::spawn(task));
    }
}
