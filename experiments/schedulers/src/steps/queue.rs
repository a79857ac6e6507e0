//! Step 1: a queue and a waker. Waking a task puts it into the queue, and the
//! executor polls the queued tasks in turn.

use std::collections::VecDeque;
use std::future::Future;
use std::sync::{Arc, Mutex};
use std::thread;

use async_task::{Runnable, Task};

/// An executor with one thread, which spins when it is idle.
#[derive(Clone, Default)]
pub struct Executor {
    queue: Arc<Queue>,
}

#[derive(Default)]
struct Queue(Mutex<VecDeque<Runnable>>);

impl Queue {
    fn push(&self, task: Runnable) {
        self.0.lock().unwrap().push_back(task);
    }

    fn pop(&self) -> Option<Runnable> {
        self.0.lock().unwrap().pop_front()
    }
}

impl Executor {
    /// Creates an executor without tasks.
    pub fn new() -> Self {
        Self::default()
    }

    /// Turns a future into a task, and queues it. async-task also creates the
    /// waker, which calls `schedule` unless the task is already in the queue.
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
            match self.queue.pop() {
                Some(task) => drop(task.run()),
                // Yields the core, because another thread has to wake a task.
                None => thread::yield_now(),
            }
        }
        futures_lite::future::block_on(main)
    }
}
