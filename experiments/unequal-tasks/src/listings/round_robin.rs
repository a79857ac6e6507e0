//! A batch distributed round robin: with two workers, one gets tasks 0, 2, 4
//! and so on, and the other gets the rest.

use std::thread;

/// Runs `tasks` tasks on `workers` threads, one per core, and returns the sum
/// of the results.
pub fn round_robin(
    tasks: usize,
    workers: usize,
    pin_to_core: impl Fn(usize) + Sync,
    task: impl Fn(usize) -> u64 + Sync,
) -> u64 {
    let work = |worker: usize| -> u64 {
        pin_to_core(worker);
        (worker..tasks).step_by(workers).map(&task).sum()
    };
    thread::scope(|scope| {
        let work = &work;
        let start = |worker| scope.spawn(move || work(worker));
        let threads: Vec<_> = (0..workers).map(start).collect();
        let sums = threads.into_iter().map(|thread| thread.join());
        sums.map(|sum| sum.expect("no task panics")).sum()
    })
}
