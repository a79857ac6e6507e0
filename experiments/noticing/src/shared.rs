//! The data shared by the threads of an executor and the wakers of its tasks.

use std::sync::{Arc, Mutex, MutexGuard};
use std::task::Waker;
use std::thread;

use async_task::Runnable;
use slab::Slab;

use crate::scheduler::Scheduler;

pub(crate) struct Shared {
    pub(crate) scheduler: Arc<Scheduler<Runnable>>,
    /// The wakers of the tasks that wait for something.
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

    /// Drops all tasks when the executor ends, except those that are being
    /// polled. Waking the waiting tasks puts them into the queues. Each
    /// thread calls this when it ends, because a stuck thread may end long
    /// after the others.
    ///
    /// Another thread that wakes a task only queues it, because that thread
    /// may hold a lock that dropping the task also takes. So this function
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
    pub(crate) fn new(shared: &Arc<Shared>, task: &Waker) -> Self {
        let key = shared.waiting().insert(task.clone());
        Waiting { shared: Arc::clone(shared), key }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let waker = self.shared.waiting().remove(self.key);
        // This may be the last reference to the task. Dropping it drops the
        // task too, so release the lock first.
        drop(waker);
    }
}
