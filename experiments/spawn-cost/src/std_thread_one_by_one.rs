//! A thread of the operating system for each unit, of which never more than one
//! is alive.

use std::thread;

/// Creates `units` threads that return their id, joins each before it creates
/// the next, and adds up the ids.
pub fn create_and_collect(units: u64) -> u64 {
    (0..units)
        .map(|id| thread::spawn(move || id))
        .map(|thread| thread.join().expect("the thread returns its id"))
        .sum()
}
