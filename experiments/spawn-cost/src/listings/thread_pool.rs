//! One job per unit of work in a plain pool: a fixed number of threads take
//! boxed closures from a shared channel.

use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread;

type Job = Box<dyn FnOnce() + Send>;

/// Threads that wait for jobs. They exit when the pool is dropped.
pub struct ThreadPool(Sender<Job>);

impl ThreadPool {
    /// Starts `threads` threads.
    pub fn new(threads: usize) -> ThreadPool {
        let (sender, jobs) = mpsc::channel();
        let jobs: Arc<Mutex<Receiver<Job>>> = Arc::new(Mutex::new(jobs));
        for _ in 0..threads {
            let jobs = Arc::clone(&jobs);
            // One idle thread waits for a job from the channel; the others
            // wait for the lock.
            let next = move || jobs.lock().expect("no job has it").recv().ok();
            thread::spawn(move || {
                std::iter::from_fn(next).for_each(|job| job())
            });
        }
        ThreadPool(sender)
    }

    /// Passes a job to the next free thread.
    pub fn execute(&self, job: impl FnOnce() + Send + 'static) {
        self.0.send(Box::new(job)).expect("the threads wait for jobs");
    }
}

/// Creates `units` jobs that send their id, and adds up the ids.
pub fn create_and_collect(pool: &ThreadPool, units: u64) -> u64 {
    collect(create(pool, units))
}

/// Creates `units` jobs that send their id. Returns the receiver of the ids.
pub fn create(pool: &ThreadPool, units: u64) -> Receiver<u64> {
    let (sender, ids) = mpsc::channel();
    for id in 0..units {
        let sender = sender.clone();
        pool.execute(move || sender.send(id).expect("the ids are awaited"));
    }
    ids
}

/// Adds up the ids that arrive, until all senders are gone.
pub fn collect(ids: Receiver<u64>) -> u64 {
    ids.iter().sum()
}
