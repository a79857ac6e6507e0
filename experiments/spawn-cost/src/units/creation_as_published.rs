//! Threads and tasks as in the published measurement of creation. The creator
//! reads the clock before it creates each one, and each one only reads the
//! clock. The timing ends before the first is collected.

use std::thread;
use std::time::{Duration, Instant};

/// Returns how long it takes to create `units` threads, and how many of them
/// read the clock after their creator had read it.
pub fn threads(units: u64) -> (Duration, u64) {
    let spawn = || thread::spawn(Instant::now);
    create(units, spawn, |unit| unit.join().expect("it reads the clock"))
}

/// Returns how long it takes to create `units` async-std tasks, and how many
/// of them read the clock after their creator had read it. The main thread,
/// which isn't a worker, spawns the tasks and collects each with `block_on`.
#[cfg(feature = "async-std")]
pub fn tasks(units: u64) -> (Duration, u64) {
    use async_std::task;
    let spawn = || task::spawn(async move { Instant::now() });
    create(units, spawn, task::block_on)
}

struct Started<Handle> {
    start: Instant,
    handle: Handle,
}

fn create<Handle>(
    units: u64,
    spawn: impl Fn() -> Handle,
    collect: impl Fn(Handle) -> Instant,
) -> (Duration, u64) {
    let mut started = Vec::with_capacity(units as usize);
    let start_creation = Instant::now();
    for _ in 0..units {
        let start = Instant::now();
        let handle = spawn();
        started.push(Started { start, handle });
    }
    let creation = start_creation.elapsed();
    let began_later = started.into_iter().filter_map(|unit| {
        let began = collect(unit.handle);
        began.checked_duration_since(unit.start)
    });
    (creation, began_later.count() as u64)
}
