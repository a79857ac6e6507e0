//! Spawning from inside a runtime, by the runtime's own call.

use std::future::Future;

/// How a task is spawned by one that runs already: what code that is the same for every runtime has to
/// know of it.
pub trait Spawn: Copy + Send + 'static {
    /// Spawns a task and drops its handle; the task runs on.
    fn spawn(self, task: impl Future<Output = ()> + Send + 'static);
}

/// A runtime's `Spawner`, whose call this is.
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
