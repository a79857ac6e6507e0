//! The runtimes, started in the same way for all experiments.

use std::future::Future;
use std::thread;
use std::time::Duration;

use noticing::Settings;
use tokio::runtime::{Builder, Runtime};

/// The number of threads. Every machine uses the same number, so that results
/// can be compared.
pub(crate) const WORKERS: usize = 2;

pub(crate) fn tokio_multi_thread() -> Result<Runtime, String> {
    let mut builder = Builder::new_multi_thread();
    let builder = builder.worker_threads(WORKERS).enable_all();
    builder.build().map_err(runtimes::not_built)
}

pub(crate) fn tokio_current_thread() -> Result<Runtime, String> {
    let mut builder = Builder::new_current_thread();
    builder.enable_all().build().map_err(runtimes::not_built)
}

/// Polls the future `all` on the calling thread, and runs smol's executor on
/// several other threads until `all` has finished.
pub(crate) fn on_smol<T>(
    executor: &smol::Executor<'_>,
    all: impl Future<Output = T>,
) -> T {
    let (stop, stopped) = smol::channel::bounded::<()>(1);
    thread::scope(|scope| {
        for _ in 0..WORKERS {
            // Closing the channel makes the threads exit.
            scope.spawn(|| smol::block_on(executor.run(stopped.recv())));
        }
        // Unlike `smol::future::block_on`, `smol::block_on` would also run
        // the reactor on this thread.
        let all = smol::future::block_on(all);
        drop(stop);
        all
    })
}

/// Creates our executor. Its monitor checks for stuck threads once per
/// `look_every`. `None` means no monitor.
pub(crate) fn ours(
    look_every: Option<Duration>,
) -> Result<noticing::Executor, String> {
    let settings = Settings { workers: WORKERS, spares: WORKERS, look_every };
    noticing::Executor::new(settings).map_err(|error| error.to_string())
}
