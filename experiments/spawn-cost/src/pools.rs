//! Pools that consist of plain threads, one per measured core.

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
