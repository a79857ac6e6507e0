//! The loop that a thread of the executor runs.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::task::Waker;

use crossbeam_deque::Worker as Queue;

use crate::reactor::Turn;
use crate::roster::Awake;
use crate::scheduler::Scheduler;

/// The number of polls after which a thread checks for events and for tasks
/// queued by other threads. Tokio and the executor `ours stealing` use the
/// same number.
const POLLS_BETWEEN_LOOKS: u32 = 61;

/// A thread of the executor, with the data that only this thread uses.
pub(crate) struct Worker<T> {
    scheduler: Arc<Scheduler<T>>,
    thread: usize,
    tasks: Queue<T>,
    /// True while the roster counts this thread as searching for a task.
    searching: Cell<bool>,
    /// The number of polls left until the next check for other threads'
    /// tasks.
    polls_left: Cell<u32>,
    /// The wakers that the reactor returned last. The list is emptied
    /// immediately, but its memory is reused.
    woken: RefCell<Vec<Waker>>,
}

impl<T> Worker<T> {
    pub(crate) fn new(
        scheduler: Arc<Scheduler<T>>,
        thread: usize,
        tasks: Queue<T>,
    ) -> Self {
        Worker {
            scheduler,
            thread,
            tasks,
            searching: Cell::new(false),
            polls_left: Cell::new(0),
            woken: RefCell::default(),
        }
    }

    /// Queues a task on this thread. If the queue was empty, wakes no other
    /// thread: usually, the running task soon waits, and then this thread is
    /// free.
    pub(crate) fn push(&self, task: T) {
        let is_first = self.tasks.is_empty();
        self.tasks.push(task);
        if !is_first {
            self.scheduler.wake_one();
        }
    }

    // ANCHOR: run
    pub(crate) fn run(&self, poll: impl Fn(T), at_end: impl FnOnce()) {
        let Scheduler { roster, reactor, .. } = &*self.scheduler;
        let _ends = Ends(self);
        // There is nothing to do yet, so every thread begins by sleeping.
        let mut is_superfluous = true;
        while !roster.is_closing() {
            if is_superfluous {
                self.sleep(None);
                is_superfluous = false;
                continue;
            }
            if self.polls_left.get() == 0 {
                self.look_up();
            }
            match self.next() {
                Some(task) => is_superfluous = self.poll(|| poll(task)),
                None => self.sleep(reactor.try_turn()),
            }
        }
        at_end();
    }

    /// Polls a task. Returns true if the monitor replaced this thread during
    /// the poll, so that the thread is no longer needed.
    fn poll(&self, poll: impl FnOnce()) -> bool {
        let Scheduler { roster, .. } = &*self.scheduler;
        self.polls_left.set(self.polls_left.get() - 1);
        if !roster.poll(self.thread, poll) {
            return false;
        }
        // This thread was stuck for a long time. It moves its remaining tasks
        // to the end of the shared queue, so that the tasks there run first.
        self.put_back();
        self.polls_left.set(0);
        roster.is_back(self.thread)
    }
    // ANCHOR_END: run

    /// Takes tasks queued by other threads, and asks the reactor for events.
    /// Without this, tasks that keep waking each other would block all
    /// others.
    fn look_up(&self) {
        self.polls_left.set(POLLS_BETWEEN_LOOKS);
        self.scheduler.take_in(&self.tasks);
        if let Some(mut turn) = self.scheduler.reactor.try_turn() {
            turn.look(&mut self.woken.borrow_mut());
            self.wake_tasks(turn);
        }
    }

    /// Wakes the tasks that the reactor has reported. Gives up the reactor
    /// first, so that a thread woken for these tasks can use it.
    fn wake_tasks(&self, turn: Turn<'_>) {
        drop(turn);
        self.woken.borrow_mut().drain(..).for_each(Waker::wake);
    }

    /// Returns the next task, from this thread's queue or from another's.
    fn next(&self) -> Option<T> {
        let Scheduler { roster, .. } = &*self.scheduler;
        let task = self.tasks.pop().or_else(|| {
            if !self.searching.replace(true) {
                roster.search();
            }
            self.scheduler.steal(self.thread, &self.tasks)
        });
        let found = task.is_some() && self.searching.replace(false);
        if found && roster.found() {
            self.scheduler.wake_one();
        }
        task
    }

    fn put_back(&self) {
        while let Some(task) = self.tasks.pop() {
            self.scheduler.put_back(task);
        }
    }

    // ANCHOR: sleep
    /// Sleeps in the reactor if this thread has the right to use it, and
    /// otherwise until its bell rings.
    fn sleep(&self, mut turn: Option<Turn<'_>>) {
        let Scheduler { roster, .. } = &*self.scheduler;
        let searched = self.searching.take();
        roster.fall_asleep(self.thread, turn.is_some(), searched);
        // Another thread may have just queued a task and woken nobody,
        // because this thread was still searching.
        if self.scheduler.has_tasks() {
            self.scheduler.wake_one();
        }
        if !roster.is_closing() {
            match &mut turn {
                Some(turn) => turn.wait(&mut self.woken.borrow_mut()),
                None => roster.bell(self.thread).sleep(),
            }
        }
        let woken = roster.awake(self.thread);
        self.searching.set(matches!(woken, Awake::ToSearch));
        // This thread is marked as awake before it queues these tasks, so
        // queueing them wakes other threads.
        if let Some(turn) = turn {
            self.polls_left.set(POLLS_BETWEEN_LOOKS);
            self.wake_tasks(turn);
        }
    }
    // ANCHOR_END: sleep
}

/// When dropped, records in the roster that this thread has ended, normally
/// or by a panic.
struct Ends<'a, T>(&'a Worker<T>);

impl<T> Drop for Ends<'_, T> {
    fn drop(&mut self) {
        self.0.scheduler.roster.end(self.0.thread);
    }
}
