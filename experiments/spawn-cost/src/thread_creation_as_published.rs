//! Threads in the shape of the published measurement of their creation: the
//! clock is read before each is created and as its only work, and what is timed
//! ends before the first is joined.

use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

struct Started {
    start: Instant,
    handle: JoinHandle<Instant>,
}

/// How long it takes to create `units` threads, and how many of them began
/// after they were created.
pub fn create(units: u64) -> (Duration, u64) {
    let mut started = Vec::with_capacity(units as usize);
    let start_creation = Instant::now();
    for _ in 0..units {
        let start = Instant::now();
        let handle = thread::spawn(Instant::now);
        started.push(Started { start, handle });
    }
    let creation = start_creation.elapsed();
    let began_later = started.into_iter().filter_map(|unit| {
        let began = unit.handle.join().expect("it reads the clock");
        began.checked_duration_since(unit.start)
    });
    (creation, began_later.count() as u64)
}
