//! Spawns tasks from within a runtime, using the runtime's own spawn function.

use std::future::Future;

/// A way for a running task to spawn another one. It is all that the code shared by the runtimes
/// needs from a runtime.
pub trait Spawn: Copy + Send + 'static {
    /// Spawns a task and drops its handle. The task keeps running.
    fn spawn(self, task: impl Future<Output = ()> + Send + 'static);
}

/// Defines the `Spawner` of a runtime, which spawns the task `$task` by evaluating `$spawn`.
macro_rules! spawner {
    ($(#[$doc:meta])* |$task:ident| $spawn:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy)]
        pub struct Spawner;

        impl crate::Spawn for Spawner {
            fn spawn(self, $task: impl std::future::Future<Output = ()> + Send + 'static) {
                $spawn;
            }
        }
    };
}
pub(crate) use spawner;
