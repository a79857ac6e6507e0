//! The loops of `thread-per-core.arc` and `.atomic`, rewritten to read the
//! clock once before and once after all iterations.

use std::cell::Cell;
use std::hint::black_box;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Clones an `Arc` and drops the clone, `times` times.
pub fn arc(times: u64) -> Duration {
    let arc = Arc::new(42u64);
    let start = Instant::now();
    for _ in 0..times {
        let clone = Arc::clone(&arc);
        black_box(&clone);
    }
    start.elapsed()
}

/// Clones an `Rc` and drops the clone, `times` times.
pub fn rc(times: u64) -> Duration {
    let rc = Rc::new(42u64);
    let start = Instant::now();
    for _ in 0..times {
        let clone = Rc::clone(&rc);
        black_box(&clone);
    }
    start.elapsed()
}

/// Adds one to an atomic counter `times` times. Returns the time and the count.
pub fn atomic(times: u64) -> (Duration, u64) {
    let counter = AtomicU64::new(0);
    let start = Instant::now();
    for _ in 0..times {
        counter.fetch_add(black_box(1), Relaxed);
    }
    let count = black_box(counter.load(Relaxed));
    (start.elapsed(), count)
}

/// Adds one to a cell `times` times. Returns the time and the count. Only the
/// count goes through `black_box`: the cell itself may stay in a register.
pub fn cell(times: u64) -> (Duration, u64) {
    let counter = Cell::new(0u64);
    let start = Instant::now();
    for _ in 0..times {
        counter.set(black_box(counter.get()) + 1);
    }
    let count = black_box(counter.get());
    (start.elapsed(), count)
}
