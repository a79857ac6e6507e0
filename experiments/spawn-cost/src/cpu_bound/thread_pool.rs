//! A job for each unit of work, in a pool of threads that was there before.

use std::sync::mpsc;

use crate::thread_pool::ThreadPool;

/// Does `work` for each id below `units`, each as a job, and adds up what it
/// returns.
pub fn run(
    pool: &ThreadPool,
    units: u64,
    work: impl Fn(u64) -> u64 + Copy + Send + 'static,
) -> u64 {
    let (sender, results) = mpsc::channel();
    for id in 0..units {
        let sender = sender.clone();
        pool.execute(move || {
            sender.send(work(id)).expect("the results are awaited");
        });
    }
    drop(sender);
    results.iter().fold(0, u64::wrapping_add)
}
