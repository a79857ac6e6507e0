//! One operating-system thread per unit of work.

use std::thread::{self, JoinHandle};

/// Creates `units` threads that return their id, joins them, and adds up the
/// ids.
pub fn create_and_collect(units: u64) -> u64 {
    collect(create(units))
}

/// Creates the threads.
pub fn create(units: u64) -> Vec<JoinHandle<u64>> {
    (0..units).map(|id| thread::spawn(move || id)).collect()
}

/// Joins `threads`, and adds up the ids that they return.
pub fn collect(threads: Vec<JoinHandle<u64>>) -> u64 {
    threads
        .into_iter()
        .map(|thread| thread.join().expect("the thread returns its id"))
        .sum()
}
