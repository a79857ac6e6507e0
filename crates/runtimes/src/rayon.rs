//! Rayon, whose jobs are no tasks: a batch is taken onto one of its workers.

use std::sync::LazyLock;

/// The contender's name.
pub const NAME: &str = "rayon";

/// Runs a batch on a worker of the global pool, which has a thread for each core: as tasks are spawned
/// from a worker, so are jobs.
pub fn on_a_worker(batch: &mut (dyn FnMut() + Send)) {
    rayon::scope(|_| batch());
}

/// The same in a pool that has one thread, as a program's has that is started on one core.
pub fn on_the_only_worker(batch: &mut (dyn FnMut() + Send)) {
    static POOL: LazyLock<rayon::ThreadPool> = LazyLock::new(|| {
        let builder = rayon::ThreadPoolBuilder::new().num_threads(1);
        builder.build().expect("a thread can be started")
    });
    POOL.scope(|_| batch());
}
