//! The queues, and how a thread is woken for what is in them.

use std::iter;

use crossbeam_deque::{Injector, Steal, Stealer, Worker};

use crate::reactor::Reactor;
use crate::roster::Roster;

/// What all threads of an executor share, and those who wake its tasks.
pub(crate) struct Scheduler<T> {
    /// What other threads have queued, and what was taken from those that are
    /// stuck. Whoever runs looks here every so often.
    injector: Injector<T>,
    /// The queue of each thread, as thieves see it.
    stealers: Vec<Stealer<T>>,
    pub(crate) roster: Roster,
    /// It belongs to nobody: whoever has nothing to do sleeps in it.
    pub(crate) reactor: Reactor,
}

impl<T> Scheduler<T> {
    /// A scheduler, and the queue of each of its threads.
    pub(crate) fn new(
        workers: usize,
        spares: usize,
        reactor: Reactor,
    ) -> (Self, Vec<Worker<T>>) {
        let threads = workers + spares;
        // First in, first out, so that a task which wakes itself goes behind
        // the others.
        let queues: Vec<_> = (0..threads).map(|_| Worker::new_fifo()).collect();
        let scheduler = Scheduler {
            injector: Injector::new(),
            stealers: queues.iter().map(Worker::stealer).collect(),
            roster: Roster::new(workers, threads),
            reactor,
        };
        (scheduler, queues)
    }

    /// Queues a task on any thread.
    pub(crate) fn push(&self, task: T) {
        self.injector.push(task);
        self.wake_one();
    }

    /// Queues a task behind all others, and wakes nobody.
    pub(crate) fn put_back(&self, task: T) {
        self.injector.push(task);
    }

    /// Wakes a thread to look for tasks, if one more may run.
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

    /// Takes a task from elsewhere, with others to be queued in `own`.
    pub(crate) fn steal(&self, thread: usize, own: &Worker<T>) -> Option<T> {
        // Each thief begins with another victim.
        let (before, after) = self.stealers.split_at(thread);
        until_clear(|| {
            self.injector.steal_batch_and_pop(own).or_else(|| {
                let victims = after[1..].iter().chain(before);
                victims.map(|it| it.steal_batch_and_pop(own)).collect()
            })
        })
    }

    /// Moves some of what other threads have queued behind `own` tasks.
    pub(crate) fn take_in(&self, own: &Worker<T>) {
        until_clear(|| self.injector.steal_batch(own));
    }

    /// Takes the tasks of a thread that is stuck to where all look. True: there
    /// were any.
    pub(crate) fn rescue(&self, thread: usize) -> bool {
        let stealer = &self.stealers[thread];
        let mut any = false;
        while let Some(task) = until_clear(|| stealer.steal()) {
            self.injector.push(task);
            any = true;
        }
        any
    }

    /// A task that nobody has taken; for the executor's end.
    pub(crate) fn pop(&self) -> Option<T> {
        until_clear(|| {
            let left = self.stealers.iter().map(Stealer::steal);
            self.injector.steal().or_else(|| left.collect())
        })
    }

    /// Asks all threads to end.
    pub(crate) fn close(&self) {
        self.roster.close();
        self.reactor.interrupt();
    }
}

/// Tries until nobody else has interfered.
fn until_clear<T>(attempt: impl FnMut() -> Steal<T>) -> Option<T> {
    iter::repeat_with(attempt).find(|steal| !steal.is_retry())?.success()
}
