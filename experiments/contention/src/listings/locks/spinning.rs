//! A lock whose waiters spin and never sleep.

use std::hint::{black_box, spin_loop};

use parking_lot::{Mutex, MutexGuard};

/// Takes the lock. While another thread holds it, waits by reading the lock's
/// state, and tries again once the lock is free. Reading needs only a copy of
/// the cache line, but trying needs exclusive access to it.
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

/// Adds one to `counter`, `times` times.
#[inline(never)]
pub fn count(counter: &Mutex<u64>, times: u64) {
    for _ in 0..times {
        *lock(black_box(counter)) += 1;
    }
}
