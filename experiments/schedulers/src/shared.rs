//! What the workers of an executor share, and everybody who wakes its tasks.

use std::sync::atomic::{fence, AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::Waker;
use std::thread;

use async_task::Runnable;
use slab::Slab;

use crate::scheduling::Remote;

/// What the workers of an executor share.
pub(crate) struct Shared {
    queues: Arc<dyn Remote<Runnable>>,
    wakers: Vec<Arc<mio::Waker>>,
    /// The tasks that wait, by the worker that first polled them: a list for
    /// each, so that workers do not contend for it.
    waiting: Vec<Mutex<Slab<Waker>>>,
    /// The workers are to end.
    closing: AtomicBool,
    /// They have ended, and nobody empties the queues any more.
    closed: AtomicBool,
}

/// A task's place on the list of those that wait, which it leaves when dropped.
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

    /// How many workers there are.
    pub(crate) fn workers(&self) -> usize {
        self.wakers.len()
    }

    /// The worker to which a new task belongs, spawned on worker `here`.
    pub(crate) fn home(&self, here: Option<usize>) -> usize {
        self.queues.home(here)
    }

    /// Queues a task on a thread that is not one of the workers.
    pub(crate) fn push(self: &Arc<Self>, home: usize, task: Runnable) {
        self.queues.push(home, task);
        fence(Ordering::SeqCst);
        if self.closed.load(Ordering::SeqCst) {
            // Not here: whoever wakes a task may hold a lock that dropping the
            // task takes as well.
            let shared = Arc::clone(self);
            thread::spawn(move || shared.drop_queued());
        }
    }

    /// Whether the workers are to end.
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

    /// Drops all tasks, when the workers have ended: those that wait are woken,
    /// which puts them into the queues.
    pub(crate) fn drop_tasks(&self) {
        for worker in 0..self.workers() {
            let waiting = std::mem::take(&mut *self.waiting(worker));
            waiting.into_iter().for_each(|(_, waker)| waker.wake());
        }
        self.drop_queued();
        // Another thread may wake a task right now, after the queues were seen
        // empty. From here on it sees to it that the task is dropped.
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
    /// Puts a task on the list of those that wait.
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
        // It is not there any more when the executor ends.
        let waker = self.shared.waiting(self.worker).try_remove(self.key);
        // It may be the task's last one, and dropping it drops more: not under
        // the lock.
        drop(waker);
    }
}
