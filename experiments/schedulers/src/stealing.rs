//! Work stealing: a worker without tasks takes half of another worker's
//! tasks. So any worker can run a task. Unless it is taken, a task runs on
//! the worker that woke it.

use std::cell::Cell;
use std::iter;
use std::sync::Arc;

use crossbeam_deque::{Injector, Steal, Stealer, Worker};

use crate::idle::Idle;
use crate::scheduling::{Local, Remote, Unpark};

/// The shared queue, and handles to steal from each worker's queue.
pub(crate) struct Deques<T> {
    /// The tasks queued by threads that are not workers.
    injector: Injector<T>,
    stealers: Vec<Stealer<T>>,
    idle: Idle,
}

pub(crate) struct Own<T> {
    /// First in, first out, so a task that wakes itself goes to the end.
    tasks: Worker<T>,
    /// True while [`Idle`] counts this worker as searching for a task.
    searching: Cell<bool>,
    shared: Arc<Deques<T>>,
    index: usize,
}

/// Creates the queues of all workers. `unpark` holds one function per worker,
/// which wakes it.
pub(crate) fn queues<T>(unpark: Vec<Unpark>) -> (Arc<Deques<T>>, Vec<Own<T>>) {
    let workers: Vec<_> = unpark.iter().map(|_| Worker::new_fifo()).collect();
    let shared = Arc::new(Deques {
        injector: Injector::new(),
        stealers: workers.iter().map(Worker::stealer).collect(),
        idle: Idle::new(unpark),
    });
    let own = |(index, tasks)| Own {
        tasks,
        searching: Cell::new(false),
        shared: Arc::clone(&shared),
        index,
    };
    let owns = workers.into_iter().enumerate().map(own).collect();
    (shared, owns)
}

impl<T: Send> Remote<T> for Deques<T> {
    fn home(&self, here: Option<usize>) -> usize {
        here.unwrap_or(0)
    }

    fn push(&self, _home: usize, task: T) {
        self.injector.push(task);
        self.idle.wake_one();
    }

    fn pop(&self) -> Option<T> {
        until_clear(|| {
            let left = self.stealers.iter().map(Stealer::steal);
            self.injector.steal().or_else(|| left.collect())
        })
    }
}

impl<T> Deques<T> {
    fn are_empty(&self) -> bool {
        self.injector.is_empty() && self.stealers.iter().all(Stealer::is_empty)
    }
}

impl<T> Own<T> {
    /// Takes a task from the shared queue or from another worker, and moves
    /// more of its tasks to this worker's queue.
    fn steal(&self) -> Option<T> {
        let Deques { injector, stealers, .. } = &*self.shared;
        // Each thread tries to steal from the others in order of index,
        // starting after its own.
        let (before, after) = stealers.split_at(self.index);
        until_clear(|| {
            injector.steal_batch_and_pop(&self.tasks).or_else(|| {
                let victims = after[1..].iter().chain(before);
                victims
                    .map(|victim| victim.steal_batch_and_pop(&self.tasks))
                    .collect()
            })
        })
    }
}

/// Repeats `attempt` as long as it fails because of a race with another
/// thread.
fn until_clear<T>(attempt: impl FnMut() -> Steal<T>) -> Option<T> {
    iter::repeat_with(attempt).find(|steal| !steal.is_retry())?.success()
}

impl<T: Send> Local<T> for Own<T> {
    /// Queues a task on this worker. If the queue was empty, wakes no other
    /// worker: usually, the running task soon waits, and this worker is free
    /// before another one has woken up. (Tokio has its LIFO slot for that.)
    fn push(&self, _home: usize, task: T) {
        let is_first = self.tasks.is_empty();
        self.tasks.push(task);
        if !is_first {
            self.shared.idle.wake_one();
        }
    }

    fn pop(&self) -> Option<T> {
        let mut task = self.tasks.pop();
        if task.is_none() {
            if !self.searching.replace(true) {
                self.shared.idle.search();
            }
            task = self.steal();
        }
        if task.is_some() && self.searching.replace(false) {
            self.shared.idle.found();
        }
        task
    }

    fn take_in(&self) {
        until_clear(|| self.shared.injector.steal_batch(&self.tasks));
    }

    fn prepare_to_sleep(&self) -> bool {
        self.searching.set(false);
        let last = self.shared.idle.sleep(self.index);
        let nothing = !last || self.shared.are_empty();
        if !nothing {
            self.awake();
        }
        nothing
    }

    fn awake(&self) {
        self.searching.set(self.shared.idle.awake(self.index));
    }
}
