//! The data shared by the workers of an executor and the wakers of its tasks.

use std::sync::atomic::{fence, AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::Waker;
use std::thread;

use async_task::Runnable;
use slab::Slab;

use crate::scheduling::Remote;

pub(crate) struct Shared {
    queues: Arc<dyn Remote<Runnable>>,
    wakers: Vec<Arc<mio::Waker>>,
    /// The waiting tasks: one list per worker, so that workers don't contend
    /// for a list. A task is in the list of the worker that first polled it.
    waiting: Vec<Mutex<Slab<Waker>>>,
    /// True if the workers have to end.
    closing: AtomicBool,
    /// True if the workers have ended, and the queues are no longer emptied.
    closed: AtomicBool,
}

/// A task's entry in the list of waiting tasks, which is removed when dropped.
pub(crate) struct Waiting {
    shared: Arc<Shared>,
    worker: usize,
    key: usize,
}

impl Shared {
    pub(crate) fn new(
        queues: Arc<dyn Remote<Runnable>>,
        wakers: Vec<Arc<mio::Waker>>,
    ) -> Self {
        Shared {
            queues,
            waiting: wakers.iter().map(|_| Mutex::default()).collect(),
            wakers,
            closing: AtomicBool::new(false),
            closed: AtomicBool::new(false),
        }
    }

    /// Returns the number of workers.
    pub(crate) fn workers(&self) -> usize {
        self.wakers.len()
    }

    /// Returns the worker to which a new task belongs that is spawned on
    /// worker `here`.
    pub(crate) fn home(&self, here: Option<usize>) -> usize {
        self.queues.home(here)
    }

    /// Queues a task on a thread that is not one of the workers.
    pub(crate) fn push(self: &Arc<Self>, home: usize, task: Runnable) {
        self.queues.push(home, task);
        fence(Ordering::SeqCst);
        if self.closed.load(Ordering::SeqCst) {
            // Another thread drops the task: this one may hold a lock that
            // dropping the task takes as well.
            let shared = Arc::clone(self);
            thread::spawn(move || shared.drop_queued());
        }
    }

    /// Returns whether the workers have to end.
    pub(crate) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Relaxed)
    }

    /// Asks the workers to end.
    pub(crate) fn close(&self) {
        self.closing.store(true, Ordering::SeqCst);
        for waker in &self.wakers {
            waker.wake().expect("an event can be written to a reactor");
        }
    }

    /// Drops all tasks after the workers have ended. To do so, wakes the
    /// waiting tasks, which puts them into the queues.
    pub(crate) fn drop_tasks(&self) {
        for worker in 0..self.workers() {
            let waiting = std::mem::take(&mut *self.waiting(worker));
            waiting.into_iter().for_each(|(_, waker)| waker.wake());
        }
        self.drop_queued();
        // Another thread may be waking a task right now, after the queues were
        // seen empty. From here on, that thread drops the task.
        self.closed.store(true, Ordering::SeqCst);
        fence(Ordering::SeqCst);
        self.drop_queued();
    }

    fn drop_queued(&self) {
        while let Some(task) = self.queues.pop() {
            drop(task);
        }
    }

    fn waiting(&self, worker: usize) -> MutexGuard<'_, Slab<Waker>> {
        self.waiting[worker].lock().expect("a list does not panic")
    }
}

impl Waiting {
    /// Adds a task to the list of waiting tasks.
    pub(crate) fn new(
        shared: &Arc<Shared>,
        worker: usize,
        task: &Waker,
    ) -> Self {
        let key = shared.waiting(worker).insert(task.clone());
        Waiting { shared: Arc::clone(shared), worker, key }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        // The entry has already been removed if the executor has ended.
        let waker = self.shared.waiting(self.worker).try_remove(self.key);
        // This may be the last reference to the task, and dropping the task
        // drops more, so it is not done under the lock.
        drop(waker);
    }
}
