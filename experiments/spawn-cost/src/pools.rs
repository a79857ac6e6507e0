//! Plain pools of threads, sized for the measured cores.

use harness::core_count;

use crate::listings::thread_pool::ThreadPool;

/// Returns the number of threads in a pool: one per core.
pub(crate) fn cores() -> usize {
    core_count()
}

/// Creates a pool.
pub(crate) fn new_pool() -> ThreadPool {
    ThreadPool::new(cores())
}
