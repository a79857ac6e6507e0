//! The data shared by the threads of an executor and the wakers of its tasks.

use std::sync::{Arc, Mutex, MutexGuard};
use std::task::Waker;
use std::thread;

use async_task::Runnable;
use slab::Slab;

use crate::scheduler::Scheduler;

pub(crate) struct Shared {
    pub(crate) scheduler: Arc<Scheduler<Runnable>>,
    /// The waiting tasks.
    waiting: Mutex<Slab<Waker>>,
}

/// A task's entry in the list of waiting tasks. Dropping the entry removes it
/// from the list.
pub(crate) struct Waiting {
    shared: Arc<Shared>,
    key: usize,
}

impl Shared {
    pub(crate) fn new(scheduler: Arc<Scheduler<Runnable>>) -> Self {
        Shared { scheduler, waiting: Mutex::default() }
    }

    /// Drops all tasks except those that are being polled, when the executor
    /// ends. Waking the waiting tasks puts them into the queues. Each thread
    /// calls this last, since it may have been stuck for long.
    ///
    /// A waker on another thread only queues a task, since that thread may
    /// hold a lock that dropping the task takes as well. So this function
    /// waits for threads that are about to queue a task: until no more tasks
    /// are left than there are other threads of the executor, each of which
    /// may be polling one.
    pub(crate) fn drop_tasks(&self, other_threads: impl Fn() -> usize) {
        loop {
            let waiting: Vec<Waker> =
                self.waiting().iter().map(|(_, waker)| waker.clone()).collect();
            waiting.into_iter().for_each(Waker::wake);
            while let Some(task) = self.scheduler.pop() {
                drop(task);
            }
            if self.waiting().len() <= other_threads() {
                break;
            }
            thread::yield_now();
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Slab<Waker>> {
        self.waiting.lock().expect("a list does not panic")
    }
}

impl Waiting {
    /// Adds a task to the list of waiting tasks.
    pub(crate) fn new(shared: &Arc<Shared>, task: &Waker) -> Self {
        let key = shared.waiting().insert(task.clone());
        Waiting { shared: Arc::clone(shared), key }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let waker = self.shared.waiting().remove(self.key);
        // This may be the last reference to the task, and dropping a task
        // drops more. So it is dropped after the lock is released.
        drop(waker);
    }
}
