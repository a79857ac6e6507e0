//! A thread of the operating system for each unit of work.

use std::thread;

/// Does `work` for each id below `units`, each in a thread of its own, and adds
/// up what it returns.
pub fn run(
    units: u64,
    work: impl Fn(u64) -> u64 + Copy + Send + 'static,
) -> u64 {
    let threads: Vec<_> =
        (0..units).map(|id| thread::spawn(move || work(id))).collect();
    threads
        .into_iter()
        .map(|thread| thread.join().expect("the work does not panic"))
        .fold(0, u64::wrapping_add)
}
