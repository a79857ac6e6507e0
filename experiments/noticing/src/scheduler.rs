//! The queues of an executor's tasks, and how threads are woken for new
//! tasks.

use std::iter;

use crossbeam_deque::{Injector, Steal, Stealer, Worker};

use crate::reactor::Reactor;
use crate::roster::Roster;

/// The data shared by all threads of an executor and by the wakers of its
/// tasks.
pub(crate) struct Scheduler<T> {
    /// The tasks queued by other threads or taken from stuck threads. Every
    /// running thread checks this queue regularly.
    injector: Injector<T>,
    /// Handles to steal from the queue of each thread.
    stealers: Vec<Stealer<T>>,
    pub(crate) roster: Roster,
    /// The reactor of all threads, in which one idle thread sleeps.
    pub(crate) reactor: Reactor,
}

impl<T> Scheduler<T> {
    pub(crate) fn new(
        workers: usize,
        spares: usize,
        reactor: Reactor,
    ) -> (Self, Vec<Worker<T>>) {
        let threads = workers + spares;
        // These queues are first in, first out, so a task that wakes itself
        // goes to the end.
        let queues: Vec<_> = (0..threads).map(|_| Worker::new_fifo()).collect();
        let scheduler = Scheduler {
            injector: Injector::new(),
            stealers: queues.iter().map(Worker::stealer).collect(),
            roster: Roster::new(workers, threads),
            reactor,
        };
        (scheduler, queues)
    }

    /// Queues a task that any thread may run, and wakes a thread for it if
    /// necessary.
    pub(crate) fn push(&self, task: T) {
        self.injector.push(task);
        self.wake_one();
    }

    /// Adds a task to the end of the shared queue, without waking a thread.
    pub(crate) fn put_back(&self, task: T) {
        self.injector.push(task);
    }

    /// Wakes a thread to look for tasks, if the executor may run one more
    /// thread.
    pub(crate) fn wake_one(&self) {
        if let Some(sleeper) = self.roster.take_sleeper() {
            match sleeper.bell(&self.roster) {
                Some(bell) => bell.ring(),
                None => self.reactor.interrupt(),
            }
        }
    }

    pub(crate) fn has_tasks(&self) -> bool {
        let all_empty = self.stealers.iter().all(Stealer::is_empty);
        !all_empty || !self.injector.is_empty()
    }

    /// Takes a task from the shared queue or from another thread, and returns
    /// it. Moves further tasks from the same place to `own`.
    pub(crate) fn steal(&self, thread: usize, own: &Worker<T>) -> Option<T> {
        // Each thread tries to steal from the others in order of index,
        // starting after its own.
        let (before, after) = self.stealers.split_at(thread);
        until_clear(|| {
            self.injector.steal_batch_and_pop(own).or_else(|| {
                let victims = after[1..].iter().chain(before);
                victims.map(|it| it.steal_batch_and_pop(own)).collect()
            })
        })
    }

    /// Moves some tasks from the shared queue to the end of `own`.
    pub(crate) fn take_in(&self, own: &Worker<T>) {
        until_clear(|| self.injector.steal_batch(own));
    }

    /// Moves the tasks of a stuck thread to the shared queue. Returns true if
    /// there were any.
    pub(crate) fn rescue(&self, thread: usize) -> bool {
        let stealer = &self.stealers[thread];
        let mut any = false;
        while let Some(task) = until_clear(|| stealer.steal()) {
            self.injector.push(task);
            any = true;
        }
        any
    }

    /// Takes any queued task. Used to drop all tasks when the executor ends.
    pub(crate) fn pop(&self) -> Option<T> {
        until_clear(|| {
            let left = self.stealers.iter().map(Stealer::steal);
            self.injector.steal().or_else(|| left.collect())
        })
    }

    pub(crate) fn close(&self) {
        self.roster.close();
        self.reactor.interrupt();
    }
}

/// Repeats `attempt` as long as it fails because of a race with another
/// thread.
fn until_clear<T>(attempt: impl FnMut() -> Steal<T>) -> Option<T> {
    iter::repeat_with(attempt).find(|steal| !steal.is_retry())?.success()
}
