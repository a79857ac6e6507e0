//! Step 2: parking. The executor's thread sleeps when it is idle, and waking
//! a task wakes the thread.

use std::collections::VecDeque;
use std::future::Future;
use std::mem;
use std::sync::{Arc, Condvar, Mutex};

use async_task::{Runnable, Task};

/// An executor with one thread, which sleeps when it is idle.
#[derive(Clone, Default)]
pub struct Executor {
    queue: Arc<Queue>,
}

#[derive(Default)]
struct Queue {
    state: Mutex<State>,
    pushed: Condvar,
}

#[derive(Default)]
struct State {
    tasks: VecDeque<Runnable>,
    /// True while the thread sleeps. If false, a push skips the system call
    /// that wakes the thread.
    asleep: bool,
}

impl Queue {
    fn push(&self, task: Runnable) {
        let mut state = self.state.lock().unwrap();
        state.tasks.push_back(task);
        if mem::take(&mut state.asleep) {
            self.pushed.notify_one();
        }
    }

    /// Waits for a task. No push is missed, because `Condvar::wait` releases
    /// the lock and falls asleep in one step.
    fn pop(&self) -> Runnable {
        let mut state = self.state.lock().unwrap();
        loop {
            if let Some(task) = state.tasks.pop_front() {
                return task;
            }
            state.asleep = true;
            state = self.pushed.wait(state).unwrap();
        }
    }
}

impl Executor {
    /// Creates an executor without tasks.
    pub fn new() -> Self {
        Self::default()
    }

    /// Turns a future into a task, and queues it.
    pub fn spawn<F>(&self, future: F) -> Task<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let queue = Arc::clone(&self.queue);
        let schedule = move |task| queue.push(task);
        let (runnable, task) = async_task::spawn(future, schedule);
        runnable.schedule();
        task
    }

    /// Spawns `future`, and polls tasks until it has finished.
    pub fn block_on<F>(&self, future: F) -> F::Output
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let main = self.spawn(future);
        while !main.is_finished() {
            self.queue.pop().run();
        }
        futures_lite::future::block_on(main)
    }
}
