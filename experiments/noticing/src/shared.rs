//! What the threads of an executor share, and everybody who wakes its tasks.

use std::sync::atomic::{fence, AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::Waker;

use async_task::Runnable;
use slab::Slab;

use crate::scheduler::Scheduler;

pub(crate) struct Shared {
    pub(crate) scheduler: Arc<Scheduler<Runnable>>,
    /// The tasks that wait.
    waiting: Mutex<Slab<Waker>>,
    /// The executor was dropped, and nobody empties the queues any more.
    closed: AtomicBool,
}

/// A task's place on the list of those that wait, which it leaves when dropped.
pub(crate) struct Waiting {
    shared: Arc<Shared>,
    key: usize,
}

impl Shared {
    pub(crate) fn new(scheduler: Arc<Scheduler<Runnable>>) -> Self {
        Shared {
            scheduler,
            waiting: Mutex::default(),
            closed: AtomicBool::new(false),
        }
    }

    /// Queues a task on a thread that is not one of the executor's.
    pub(crate) fn push(&self, task: Runnable) {
        self.scheduler.push(task);
        fence(Ordering::SeqCst);
        if self.closed.load(Ordering::SeqCst) {
            self.drop_queued();
        }
    }

    /// Drops all tasks but those that are polled right now, when the executor
    /// ends: those that wait are woken, which puts them into the queues. Each
    /// thread does so as its last, since it may have been stuck for long.
    pub(crate) fn drop_tasks(&self) {
        // Another thread may wake a task at any time. From here on it drops
        // that task itself.
        self.closed.store(true, Ordering::SeqCst);
        fence(Ordering::SeqCst);
        let waiting: Vec<Waker> =
            self.waiting().iter().map(|(_, waker)| waker.clone()).collect();
        waiting.into_iter().for_each(Waker::wake);
        self.drop_queued();
    }

    fn drop_queued(&self) {
        while let Some(task) = self.scheduler.pop() {
            drop(task);
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
