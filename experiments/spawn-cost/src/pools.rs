//! How the pools of threads are built and entered, wherever they contend.

use std::sync::LazyLock;
use std::thread::available_parallelism;

use crate::thread_pool::ThreadPool;

/// How many threads a pool has: one for each core.
pub(crate) fn cores() -> usize {
    available_parallelism().map_or(4, usize::from)
}

/// A pool as it is built where there is none.
pub(crate) fn new_pool() -> ThreadPool {
    ThreadPool::new(cores())
}

/// As tasks are spawned from a worker, so are jobs.
pub(crate) fn on_a_rayon_worker(batch: &mut (dyn FnMut() + Send)) {
    rayon::scope(|_| batch());
}

/// The same in a pool that has one thread, as a program's has that is started on
/// one core.
pub(crate) fn on_the_only_rayon_worker(batch: &mut (dyn FnMut() + Send)) {
    static POOL: LazyLock<rayon::ThreadPool> = LazyLock::new(|| {
        let builder = rayon::ThreadPoolBuilder::new().num_threads(1);
        builder.build().expect("a thread can be started")
    });
    POOL.scope(|_| batch());
}

/// Runs a task on a worker of async-std's. Its own `block_on` would have the
/// calling thread wait in the reactor, which is also smol's.
#[cfg(feature = "async-std")]
pub(crate) fn on_an_async_std_worker(
    task: std::pin::Pin<Box<dyn std::future::Future<Output = ()> + Send>>,
) {
    harness::wait_for(::async_std::task::spawn(task));
}
