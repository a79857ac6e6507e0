//! The executor: starts worker threads, gives them tasks, and ends them.

use std::future::Future;
use std::io;
use std::panic;
use std::sync::Arc;
use std::thread::{self, JoinHandle as Thread};

use futures_lite::future;

use crate::current::Current;
use crate::policy::Policy;
use crate::reactor::Reactor;
use crate::scheduling::Unpark;
use crate::shared::Shared;
use crate::tasks::{self, JoinError, JoinHandle};
use crate::worker;

/// Threads that run tasks.
///
/// Dropping the executor ends its threads as soon as their current polls have
/// finished, and drops all unfinished tasks. A task must not drop its own
/// executor: the drop would wait for that task.
pub struct Executor {
    shared: Arc<Shared>,
    threads: Vec<Thread<()>>,
}

impl Executor {
    /// Starts an executor with `workers` workers, each a thread with a reactor.
    ///
    /// # Errors
    ///
    /// If `workers` is 0, or the system provides no thread or no reactor
    /// (each takes a file descriptor or two).
    pub fn new(policy: Policy, workers: usize) -> io::Result<Self> {
        if workers == 0 {
            let reason = "an executor needs a worker at least, not 0";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
        }
        let reactors: Vec<Reactor> =
            (0..workers).map(|_| Reactor::new()).collect::<io::Result<_>>()?;
        let wakers: Vec<Arc<mio::Waker>> =
            reactors.iter().map(Reactor::waker).collect();
        let (remote, locals) =
            policy.queues(wakers.iter().map(unpark).collect());
        let shared = Arc::new(Shared::new(remote, wakers));

        // Returning early from here on drops `executor`, which ends all
        // threads started so far.
        let mut executor = Executor { shared, threads: Vec::new() };
        let workers = locals.into_iter().zip(reactors).enumerate();
        for (index, (queue, reactor)) in workers {
            let shared = Arc::clone(&executor.shared);
            let current = Current { shared, index, queue };
            let thread = thread::Builder::new()
                .name(format!("worker {index}"))
                .spawn(move || worker::run(current, reactor))?;
            executor.threads.push(thread);
        }
        Ok(executor)
    }

    /// Spawns a task; the policy chooses the worker. Inside a task, use
    /// [`spawn`](crate::spawn).
    pub fn spawn<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let home = self.shared.home(None);
        tasks::spawn_at(Arc::clone(&self.shared), home, future)
    }

    /// Spawns a task and waits for its result. A worker polls the task, like
    /// any other: the calling thread only sleeps.
    ///
    /// # Panics
    ///
    /// If the task panics, with the same payload.
    pub fn block_on<F>(&self, future: F) -> F::Output
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        match future::block_on(self.spawn(future)) {
            Ok(output) => output,
            Err(JoinError::Panicked(payload)) => panic::resume_unwind(payload),
            Err(JoinError::ShutDown) => unreachable!("it is borrowed here"),
        }
    }
}

fn unpark(waker: &Arc<mio::Waker>) -> Unpark {
    let waker = Arc::clone(waker);
    Box::new(move || {
        waker.wake().expect("an event can be written to a reactor");
    })
}

impl Drop for Executor {
    fn drop(&mut self) {
        self.shared.close();
        for thread in self.threads.drain(..) {
            // Tasks' panics are caught. Any other panic of a worker, such as
            // one in a foreign waker, has already printed its message.
            let _ = thread.join();
        }
        self.shared.drop_tasks();
    }
}
