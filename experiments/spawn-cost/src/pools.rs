//! How the plain pools of threads are built.

use harness::core_count;

use crate::listings::thread_pool::ThreadPool;

/// How many threads a pool has: one for each core.
pub(crate) fn cores() -> usize {
    core_count()
}

/// A pool as it is built where there is none.
pub(crate) fn new_pool() -> ThreadPool {
    ThreadPool::new(cores())
}
