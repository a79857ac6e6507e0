//! Glommio executors, one per core, that are kept from batch to batch.

use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use glommio::{LocalExecutorBuilder, Placement};
use harness::pin_this_thread;
use runtimes::no_ring;

use super::run::Task;
use crate::listings::glommio_pool::glommio_tasks;

/// The executors, each on its own thread and core.
pub(super) struct Pool(Vec<Shard>);

impl Pool {
    /// Starts one executor per worker. Returns an error with the reason if an
    /// executor cannot be created here.
    pub(super) fn start(workers: usize) -> Result<Pool, String> {
        let start = |worker| Shard::start(worker, workers);
        (0..workers).map(start).collect::<Result<_, _>>().map(Pool)
    }

    /// Distributes `tasks` tasks to the executors in round-robin order, and
    /// returns the sum of the results.
    pub(super) fn run(&self, tasks: usize, task: &Task) -> u64 {
        for Shard { batches, .. } in &self.0 {
            let batches = batches.as_ref().expect("it ends when it is dropped");
            batches.send((tasks, Arc::clone(task))).expect(GONE);
        }
        self.0.iter().map(|shard| shard.sums.recv().expect(GONE)).sum()
    }
}

const GONE: &str = "no task panics";

/// A Glommio executor on its own thread.
struct Shard {
    /// The channel on which the executor receives batches. `None` tells it to
    /// end.
    batches: Option<Sender<(usize, Task)>>,
    sums: Receiver<u64>,
    thread: Option<JoinHandle<()>>,
}

impl Shard {
    fn start(worker: usize, workers: usize) -> Result<Shard, String> {
        let (batches, to_run) = mpsc::channel::<(usize, Task)>();
        let (done, sums) = mpsc::channel();
        let (says, started) = mpsc::channel();
        let thread = thread::spawn(move || {
            let start = || {
                pin_this_thread(worker)?;
                let builder = LocalExecutorBuilder::new(Placement::Unbound);
                builder.make().map_err(no_ring)
            };
            let executor = match start() {
                Ok(executor) => executor,
                Err(why) => return drop(says.send(Err(why))),
            };
            drop(says.send(Ok(())));
            for (tasks, task) in to_run {
                let own = (worker..tasks).step_by(workers);
                let batch = glommio_tasks(own, move |index| task(index));
                if done.send(executor.run(batch)).is_err() {
                    return;
                }
            }
        });
        let ended = || Err(no_ring("it panicked when it was started"));
        started.recv().unwrap_or_else(|_| ended())?;
        Ok(Shard { batches: Some(batches), sums, thread: Some(thread) })
    }
}

impl Drop for Shard {
    /// Ends the executor's thread, which closes the ring before the next
    /// measurement.
    fn drop(&mut self) {
        drop(self.batches.take());
        // If the executor has panicked, the thread that waited for its sum
        // has already reported the panic.
        drop(self.thread.take().map(JoinHandle::join));
    }
}
