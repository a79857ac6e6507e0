//! What the threads of an executor share, and everybody who wakes its tasks.

use std::sync::{Arc, Mutex, MutexGuard};
use std::task::Waker;
use std::thread;

use async_task::Runnable;
use slab::Slab;

use crate::scheduler::Scheduler;

pub(crate) struct Shared {
    pub(crate) scheduler: Arc<Scheduler<Runnable>>,
    /// The tasks that wait.
    waiting: Mutex<Slab<Waker>>,
}

/// A task's place on the list of those that wait, which it leaves when dropped.
pub(crate) struct Waiting {
    shared: Arc<Shared>,
    key: usize,
}

impl Shared {
    pub(crate) fn new(scheduler: Arc<Scheduler<Runnable>>) -> Self {
        Shared { scheduler, waiting: Mutex::default() }
    }

    /// Drops all tasks but those that are polled right now, when the executor
    /// ends: those that wait are woken, which puts them into the queues. Each
    /// thread does so as its last, since it may have been stuck for long.
    ///
    /// Wakers of other threads only queue a task, since whoever wakes it may
    /// hold a lock that dropping it takes as well. So a thread which is about
    /// to queue one is waited for: until no more tasks are left than there are
    /// other threads of the executor, each of which may poll one.
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
    /// Puts a task on the list of those that wait.
    pub(crate) fn new(shared: &Arc<Shared>, task: &Waker) -> Self {
        let key = shared.waiting().insert(task.clone());
        Waiting { shared: Arc::clone(shared), key }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let waker = self.shared.waiting().remove(self.key);
        // It may be the task's last one, and dropping it drops more: not under
        // the lock.
        drop(waker);
    }
}
