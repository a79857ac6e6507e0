//! Pinned queues: each task stays on the worker that it was assigned to. A
//! worker's own queue needs no atomics; only tasks queued by other threads
//! pass through a lock.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;

use crate::park::Sleeper;
use crate::queue::Inbox;
use crate::scheduling::{Local, Remote, Unpark};
use crate::sync::{AtomicUsize, Ordering};

/// The workers' inboxes, to which other threads add tasks.
pub(crate) struct Inboxes<T> {
    workers: Vec<Worker<T>>,
    /// The number of tasks spawned so far. Tasks are assigned to the workers
    /// in turn.
    dealt: AtomicUsize,
}

struct Worker<T> {
    inbox: Inbox<T>,
    sleeper: Sleeper,
}

pub(crate) struct Own<T> {
    tasks: RefCell<VecDeque<T>>,
    shared: Arc<Inboxes<T>>,
    index: usize,
}

/// Creates the queues of all workers. `unpark` holds one function per worker,
/// which wakes it.
pub(crate) fn queues<T>(unpark: Vec<Unpark>) -> (Arc<Inboxes<T>>, Vec<Own<T>>) {
    let worker =
        |unpark| Worker { inbox: Inbox::new(), sleeper: Sleeper::new(unpark) };
    let workers: Vec<_> = unpark.into_iter().map(worker).collect();
    let count = workers.len();
    let shared = Arc::new(Inboxes { workers, dealt: AtomicUsize::new(0) });
    let own = |index| Own {
        tasks: RefCell::default(),
        shared: Arc::clone(&shared),
        index,
    };
    let owns = (0..count).map(own).collect();
    (shared, owns)
}

impl<T: Send> Remote<T> for Inboxes<T> {
    fn home(&self, _: Option<usize>) -> usize {
        self.dealt.fetch_add(1, Ordering::Relaxed) % self.workers.len()
    }

    fn push(&self, home: usize, task: T) {
        let worker = &self.workers[home];
        worker.inbox.push(task);
        worker.sleeper.wake();
    }

    fn pop(&self) -> Option<T> {
        self.workers.iter().find_map(|worker| worker.inbox.pop())
    }
}

impl<T> Own<T> {
    fn worker(&self) -> &Worker<T> {
        &self.shared.workers[self.index]
    }
}

impl<T: Send> Local<T> for Own<T> {
    fn push(&self, home: usize, task: T) {
        if home == self.index {
            self.tasks.borrow_mut().push_back(task);
        } else {
            self.shared.push(home, task);
        }
    }

    fn pop(&self) -> Option<T> {
        let mut tasks = self.tasks.borrow_mut();
        if tasks.is_empty() {
            self.worker().inbox.move_to(&mut tasks);
        }
        tasks.pop_front()
    }

    fn take_in(&self) {
        self.worker().inbox.move_to(&mut self.tasks.borrow_mut());
    }

    fn prepare_to_sleep(&self) -> bool {
        self.worker().sleeper.announce();
        let nothing = self.worker().inbox.is_empty();
        if !nothing {
            self.awake();
        }
        nothing
    }

    fn awake(&self) {
        self.worker().sleeper.awake();
    }
}
