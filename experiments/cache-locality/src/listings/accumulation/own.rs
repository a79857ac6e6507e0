//! Each thread increments its own number, and adds it to the shared number at
//! the end.

use std::cell::Cell;
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

/// Increments a thread-local variable `times` times, then adds its value to
/// `number`.
pub fn count_in_thread_local(number: &AtomicU64, times: u64) {
    for _ in 0..times {
        COUNT.set(COUNT.get() + 1);
        black_box(()); // Keeps the compiler from removing the count.
    }
    number.fetch_add(COUNT.take(), Relaxed);
}

/// Increments a local variable `times` times, then adds its value to
/// `number`.
pub fn count_in_variable(number: &AtomicU64, times: u64) {
    let mut count = 0;
    for _ in 0..times {
        count += black_box(1);
    }
    number.fetch_add(count, Relaxed);
}
