//! Rayon, which runs jobs instead of tasks. So that jobs are spawned from within the pool, a
//! whole batch is moved to one of its workers.

use std::sync::LazyLock;

/// The contender's name.
pub const NAME: &str = "rayon";

/// Runs a batch on a worker of the global pool, which has one thread per core. The jobs are
/// therefore created on a worker, just like the tasks of other runtimes.
pub fn on_a_worker(batch: &mut (dyn FnMut() + Send)) {
    rayon::scope(|_| batch());
}

/// Runs a batch in a pool with one thread, like the default pool of a program that is started on
/// one core.
pub fn on_the_only_worker(batch: &mut (dyn FnMut() + Send)) {
    static POOL: LazyLock<rayon::ThreadPool> = LazyLock::new(|| {
        let builder = rayon::ThreadPoolBuilder::new().num_threads(1);
        builder.build().expect("a thread can be started")
    });
    POOL.scope(|_| batch());
}
