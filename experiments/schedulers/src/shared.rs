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
    /// The wakers of waiting tasks, one list per worker, so that workers
    /// don't contend for a list. A task is in the list of the worker that
    /// first polled it.
    waiting: Vec<Mutex<Slab<Waker>>>,
    closing: AtomicBool,
    /// True once the workers have ended and nobody empties the queues any
    /// longer.
    closed: AtomicBool,
}

/// A task's entry in the list of waiting tasks. Dropping the entry removes it
/// from the list.
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

    pub(crate) fn workers(&self) -> usize {
        self.wakers.len()
    }

    /// Returns the worker that a new task is assigned to. `here` is the
    /// worker that spawns it, or `None` if another thread does.
    pub(crate) fn home(&self, here: Option<usize>) -> usize {
        self.queues.home(here)
    }

    /// Queues a task for worker `home`, from a thread that is not one of the
    /// workers.
    pub(crate) fn push(self: &Arc<Self>, home: usize, task: Runnable) {
        self.queues.push(home, task);
        fence(Ordering::SeqCst);
        if self.closed.load(Ordering::SeqCst) {
            // The calling thread may hold a lock that dropping the task also
            // takes, so another thread drops the task.
            let shared = Arc::clone(self);
            thread::spawn(move || shared.drop_queued());
        }
    }

    pub(crate) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Relaxed)
    }

    pub(crate) fn close(&self) {
        self.closing.store(true, Ordering::SeqCst);
        for waker in &self.wakers {
            waker.wake().expect("an event can be written to a reactor");
        }
    }

    /// Drops all remaining tasks after the workers have ended. First wakes
    /// the waiting tasks, which puts them into the queues.
    pub(crate) fn drop_tasks(&self) {
        for worker in 0..self.workers() {
            let waiting = std::mem::take(&mut *self.waiting(worker));
            waiting.into_iter().for_each(|(_, waker)| waker.wake());
        }
        self.drop_queued();
        // Another thread may still be waking a task after the queues have
        // been emptied. From here on, `push` makes sure that such a task is
        // dropped.
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
        // If the executor has ended, the entry has already been removed.
        let waker = self.shared.waiting(self.worker).try_remove(self.key);
        // This may be the last reference to the task, so it is dropped after
        // the lock is released.
        drop(waker);
    }
}
