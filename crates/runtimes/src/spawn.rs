//! Spawning from inside a runtime, by the runtime's own function.

use std::future::Future;

/// How a running task spawns another: the only thing that code shared by all runtimes has to know
/// about a runtime.
pub trait Spawn: Copy + Send + 'static {
    /// Spawns a task and drops its handle. The task keeps running.
    fn spawn(self, task: impl Future<Output = ()> + Send + 'static);
}

/// Defines a runtime's `Spawner`, which spawns `$task` by evaluating `$spawn`.
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
