//! A thread of the operating system for each unit.

use std::thread;

/// Creates `units` threads that return their id, joins them, and adds up the
/// ids.
pub fn create_and_collect(units: u64) -> u64 {
    let threads: Vec<_> =
        (0..units).map(|id| thread::spawn(move || id)).collect();
    threads
        .into_iter()
        .map(|thread| thread.join().expect("the thread returns its id"))
        .sum()
}
