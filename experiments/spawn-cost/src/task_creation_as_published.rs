//! async-std's tasks in the shape of the published measurement of their
//! creation: spawned by the main thread, which is not a worker, and collected
//! by a `block_on` for each.

use std::time::{Duration, Instant};

use async_std::task::{self, JoinHandle};

struct Started {
    start: Instant,
    handle: JoinHandle<Instant>,
}

/// How long it takes to create `units` tasks, and how many of them began
/// after they were created.
pub fn create(units: u64) -> (Duration, u64) {
    let mut started = Vec::with_capacity(units as usize);
    let start_creation = Instant::now();
    for _ in 0..units {
        let start = Instant::now();
        let handle = task::spawn(async move { Instant::now() });
        started.push(Started { start, handle });
    }
    let creation = start_creation.elapsed();
    let began_later = started.into_iter().filter_map(|unit| {
        let began = task::block_on(unit.handle);
        began.checked_duration_since(unit.start)
    });
    (creation, began_later.count() as u64)
}
