//! A thread of the operating system that sleeps.

use std::thread;
use std::time::Duration;

/// Creates `units` threads that sleep and return their id, joins them, and adds
/// up the ids.
pub fn sleep_and_collect(units: u64, wait: Duration) -> u64 {
    let sleeper = |id| {
        thread::spawn(move || {
            thread::sleep(wait);
            id
        })
    };
    let threads: Vec<_> = (0..units).map(sleeper).collect();
    threads
        .into_iter()
        .map(|thread| thread.join().expect("the thread returns its id"))
        .sum()
}
