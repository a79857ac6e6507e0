//! A thread of the operating system for each unit.

use std::thread;

/// Creates `units` threads that return their id, joins them, and adds up the
/// ids.
pub fn sum_of_ids(units: u64) -> u64 {
    let threads: Vec<_> =
        (0..units).map(|id| thread::spawn(move || id)).collect();
    let ids = threads.into_iter().map(|thread| thread.join());
    ids.map(|id| id.expect("the thread returns its id")).sum()
}
