//! The runtimes with several threads, started alike in all experiments.

use std::future::Future;
use std::thread;
use std::time::Duration;

use noticing::Settings;
use tokio::runtime::{Builder, Runtime};

/// Threads of a runtime with several, whatever the machine, so that machines compare.
pub(crate) const WORKERS: usize = 2;

/// Tokio's, with several workers.
pub(crate) fn tokio_multi_thread() -> Result<Runtime, String> {
    let mut builder = Builder::new_multi_thread();
    let builder = builder.worker_threads(WORKERS).enable_all();
    builder.build().map_err(runtimes::not_built)
}

/// Tokio's, with one thread.
pub(crate) fn tokio_current_thread() -> Result<Runtime, String> {
    let mut builder = Builder::new_current_thread();
    builder.enable_all().build().map_err(runtimes::not_built)
}

/// Runs smol's executor on several threads until `all` is done, on the calling one.
pub(crate) fn on_smol<T>(
    executor: &smol::Executor<'_>,
    all: impl Future<Output = T>,
) -> T {
    let (stop, stopped) = smol::channel::bounded::<()>(1);
    thread::scope(|scope| {
        for _ in 0..WORKERS {
            // Closing the channel ends it.
            scope.spawn(|| smol::block_on(executor.run(stopped.recv())));
        }
        // Not by `smol::block_on`, with which this thread would ask the reactor, too.
        let all = smol::future::block_on(all);
        drop(stop);
        all
    })
}

/// Ours, whose monitor looks so often, if it has one.
pub(crate) fn ours(
    look_every: Option<Duration>,
) -> Result<noticing::Executor, String> {
    let settings = Settings { workers: WORKERS, spares: WORKERS, look_every };
    noticing::Executor::new(settings).map_err(|error| error.to_string())
}
