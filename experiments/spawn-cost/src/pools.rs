//! How the plain pools of threads are built.

use std::thread::available_parallelism;

use crate::listings::thread_pool::ThreadPool;

/// How many threads a pool has: one for each core.
pub(crate) fn cores() -> usize {
    available_parallelism().map_or(4, usize::from)
}

/// A pool as it is built where there is none.
pub(crate) fn new_pool() -> ThreadPool {
    ThreadPool::new(cores())
}
