//! A number of each thread's own, added to the shared one in the end.

use std::cell::Cell;
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

/// Counts so often in a thread-local.
pub fn count_in_thread_local(number: &AtomicU64, times: u64) {
    for _ in 0..times {
        COUNT.set(COUNT.get() + 1);
        black_box(()); // Here it has to be counted.
    }
    number.fetch_add(COUNT.take(), Relaxed);
}

/// Counts so often in a variable.
pub fn count_in_variable(number: &AtomicU64, times: u64) {
    let mut count = 0;
    for _ in 0..times {
        count += black_box(1);
    }
    number.fetch_add(count, Relaxed);
}
