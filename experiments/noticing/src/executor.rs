//! The executor: starts threads, gives them tasks, and ends the threads.

use std::future::Future;
use std::io;
use std::panic;
use std::sync::Arc;
use std::thread::{self, JoinHandle as Thread};
use std::time::{Duration, Instant};

use async_task::Runnable;
use futures_lite::future;

use crate::current::{self, Current};
use crate::monitor::{Monitor, Rest};
use crate::reactor::Reactor;
use crate::scheduler::Scheduler;
use crate::shared::Shared;
use crate::tasks::{self, JoinError, JoinHandle};
use crate::worker::Worker;

/// The settings of an executor.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// The number of threads that run tasks at once. For a moment, a thread
    /// that has just returned from the reactor may run in addition to them.
    pub workers: usize,
    /// The number of spare threads that can replace stuck threads.
    pub spares: usize,
    /// The interval between two checks by the monitor. A thread that is in
    /// the same poll at two checks is replaced. With `None`, there is no
    /// monitor.
    pub look_every: Option<Duration>,
}

/// An executor whose threads run tasks and replace each other.
///
/// Dropping an executor ends its threads as soon as the current polls have
/// finished, and drops all unfinished tasks. The drop doesn't wait for a
/// stuck thread, which drops its task and ends once the task's poll returns.
/// A task must not drop its own executor: the drop would wait for that task
/// until the monitor finds it stuck.
pub struct Executor {
    shared: Arc<Shared>,
    threads: Vec<Thread<()>>,
    monitor: Option<Thread<()>>,
}

impl Executor {
    /// Creates an executor with these settings, and starts its threads.
    ///
    /// # Errors
    ///
    /// If the settings have no worker or an interval of zero, or the system
    /// can't provide a thread or the file descriptors of a reactor.
    pub fn new(settings: Settings) -> io::Result<Self> {
        let Settings { workers, spares, look_every } = settings;
        if workers == 0 {
            return Err(refused("an executor needs a worker at least, not 0"));
        }
        if look_every.is_some_and(|every| every.is_zero()) {
            let reason = "the monitor has to rest between two looks: \
                          look_every is 0";
            return Err(refused(reason));
        }
        let (scheduler, queues) =
            Scheduler::new(workers, spares, Reactor::new()?);
        let scheduler = Arc::new(scheduler);
        let shared = Arc::new(Shared::new(Arc::clone(&scheduler)));

        // Returning early from here on drops `executor`, which ends all
        // threads started so far.
        let mut executor =
            Executor { shared, threads: Vec::new(), monitor: None };
        for (index, queue) in queues.into_iter().enumerate() {
            let worker = Worker::new(Arc::clone(&scheduler), index, queue);
            let shared = Arc::clone(&executor.shared);
            let current = Current { shared, worker };
            let run = move || current::run(current);
            match start(format!("worker {index}"), run) {
                Ok(thread) => executor.threads.push(thread),
                Err(error) => {
                    // Threads that were never started are marked as ended, so
                    // that nothing waits for them.
                    let missing = index..workers + spares;
                    missing.for_each(|index| scheduler.roster.end(index));
                    return Err(error);
                }
            }
        }
        if let Some(every) = look_every {
            let run = move || monitor(&scheduler, every);
            executor.monitor = Some(start("monitor".to_owned(), run)?);
        }
        Ok(executor)
    }

    /// Spawns a task. Inside a task, use [`spawn`](crate::spawn).
    pub fn spawn<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        tasks::spawn_on(Arc::clone(&self.shared), future)
    }

    /// Spawns a task and waits for its result. A worker polls the task; the
    /// calling thread only sleeps.
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

fn refused(reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, reason)
}

fn start(
    name: String,
    run: impl FnOnce() + Send + 'static,
) -> io::Result<Thread<()>> {
    thread::Builder::new().name(name).spawn(run)
}

/// Runs the monitor, which checks all threads once per `every`, until they
/// have ended.
fn monitor(scheduler: &Scheduler<Runnable>, every: Duration) {
    let roster = &scheduler.roster;
    let mut monitor = Monitor::new(roster.threads());
    while !roster.is_closed() {
        match monitor.look(scheduler) {
            Rest::Interval => {
                let next = Instant::now() + every;
                // The monitor may wake early. A check at that time could
                // mistake a short poll for a stuck one.
                while !roster.is_closed() && Instant::now() < next {
                    roster.monitor().sleep_until(next);
                }
            }
            Rest::UntilWoken => roster.monitor().sleep(),
        }
    }
}

impl Drop for Executor {
    fn drop(&mut self) {
        let Shared { scheduler, .. } = &*self.shared;
        scheduler.close();
        scheduler.roster.wait_until_closed();
        for (index, thread) in self.threads.drain(..).enumerate() {
            // Tasks' panics are caught. Any other panic of a thread, such as
            // one in a foreign waker, has already printed its message.
            if scheduler.roster.has_ended(index) {
                let _ = thread.join();
            }
        }
        self.shared.drop_tasks(|| scheduler.roster.not_ended());
        if let Some(monitor) = self.monitor.take() {
            scheduler.roster.monitor().ring();
            let _ = monitor.join();
        }
    }
}
