//! Rayon, which has jobs instead of tasks: a batch is moved onto one of its workers.

use std::sync::LazyLock;

/// The contender's name.
pub const NAME: &str = "rayon";

/// Runs a batch on a worker of the global pool, which has one thread per core. So jobs are
/// created on a worker, as tasks are on other runtimes.
pub fn on_a_worker(batch: &mut (dyn FnMut() + Send)) {
    rayon::scope(|_| batch());
}

/// Runs a batch in a pool with one thread, like that of a program started on one core.
pub fn on_the_only_worker(batch: &mut (dyn FnMut() + Send)) {
    static POOL: LazyLock<rayon::ThreadPool> = LazyLock::new(|| {
        let builder = rayon::ThreadPoolBuilder::new().num_threads(1);
        builder.build().expect("a thread can be started")
    });
    POOL.scope(|_| batch());
}
