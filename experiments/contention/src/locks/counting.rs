//! Counters protected by locks. Each function increments its counter `times`
//! times.

use std::hint::{black_box, spin_loop};
use std::sync::Mutex;

use parking_lot::{FairMutex, Mutex as PlMutex};
use tokio::sync::Mutex as TokioMutex;

/// The number of increments per thread in one operation of the benchmark. It
/// is large enough to make differences between the start times of threads
/// negligible.
pub const TIMES: u64 = 200_000;

/// Replaces [`TIMES`] for locks that may be handed to a sleeping thread. It
/// is smaller, because such a thread has to wake up first.
pub const HANDED_OVER: u64 = 2_000;

/// The standard library's mutex: a waiter checks the lock about a hundred
/// times, then sleeps.
#[inline(never)]
pub fn std_mutex(counter: &Mutex<u64>, times: u64) {
    for _ in 0..times {
        *black_box(counter).lock().expect("no one panics with it") += 1;
    }
}

/// The standard library's mutex, with waiters that spin and never sleep.
#[inline(never)]
pub fn std_mutex_spinning(counter: &Mutex<u64>, times: u64) {
    for _ in 0..times {
        let mut count = loop {
            match black_box(counter).try_lock() {
                Ok(count) => break count,
                Err(_) => spin_loop(),
            }
        };
        *count += 1;
    }
}

/// parking_lot's mutex: a waiter checks the lock a few times, at growing
/// intervals, then sleeps.
#[inline(never)]
pub fn parking_lot_mutex(counter: &PlMutex<u64>, times: u64) {
    for _ in 0..times {
        *black_box(counter).lock() += 1;
    }
}

/// parking_lot's fair mutex. It is handed directly to a sleeping waiter if
/// there is one.
#[inline(never)]
pub fn parking_lot_fair_mutex(counter: &FairMutex<u64>, times: u64) {
    for _ in 0..times {
        *black_box(counter).lock() += 1;
    }
}

/// Tokio's mutex. It is handed to the task that has waited longest.
pub async fn tokio_mutex(counter: &TokioMutex<u64>, times: u64) {
    for _ in 0..times {
        *counter.lock().await += 1;
    }
}
