//! A lock that is waited for without ever going to sleep.

use std::hint::{black_box, spin_loop};

use parking_lot::{Mutex, MutexGuard};

/// Takes the lock. Who has to wait looks at it until it is free, and only then
/// tries to take it: to look takes a copy of the cache line, to try takes the line.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    loop {
        if let Some(guard) = mutex.try_lock() {
            return guard;
        }
        while mutex.is_locked() {
            spin_loop();
        }
    }
}

/// Adds one so many times.
#[inline(never)]
pub fn count(counter: &Mutex<u64>, times: u64) {
    for _ in 0..times {
        *lock(black_box(counter)) += 1;
    }
}
