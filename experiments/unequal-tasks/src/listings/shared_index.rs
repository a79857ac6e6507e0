//! A batch in which each worker takes the next task whenever it has finished
//! one.

use std::iter;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Runs `tasks` tasks on `workers` threads, one per core, and returns the sum
/// of the results.
pub fn shared_index(
    tasks: usize,
    workers: usize,
    pin_to_core: impl Fn(usize) + Sync,
    task: impl Fn(usize) -> u64 + Sync,
) -> u64 {
    let next = AtomicUsize::new(0);
    let work = |worker: usize| -> u64 {
        pin_to_core(worker);
        iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed))
            .take_while(|&index| index < tasks)
            .map(&task)
            .sum()
    };
    thread::scope(|scope| {
        let work = &work;
        let start = |worker| scope.spawn(move || work(worker));
        let threads: Vec<_> = (0..workers).map(start).collect();
        let sums = threads.into_iter().map(|thread| thread.join());
        sums.map(|sum| sum.expect("no task panics")).sum()
    })
}
