//! Counters under locks, to which each function adds one so many times.

use std::hint::{black_box, spin_loop};
use std::sync::Mutex;

use parking_lot::{FairMutex, Mutex as PlMutex};
use tokio::sync::Mutex as TokioMutex;

/// How often a thread counts in an operation of the harness's: so often that
/// threads which do not begin at quite the same moment do not count.
pub const TIMES: u64 = 200_000;

/// The same where the lock may be handed to a thread that has to wake first.
pub const HANDED_OVER: u64 = 2_000;

/// The standard library's: who waits looks some hundred times, then sleeps.
#[inline(never)]
pub fn std_mutex(counter: &Mutex<u64>, times: u64) {
    for _ in 0..times {
        *black_box(counter).lock().expect("no one panics with it") += 1;
    }
}

/// The same lock, waited for without ever going to sleep.
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

/// parking_lot's: who waits looks some times, less and less often, then sleeps.
#[inline(never)]
pub fn parking_lot_mutex(counter: &PlMutex<u64>, times: u64) {
    for _ in 0..times {
        *black_box(counter).lock() += 1;
    }
}

/// parking_lot's that is handed to whom sleeps, if somebody does.
#[inline(never)]
pub fn parking_lot_fair_mutex(counter: &FairMutex<u64>, times: u64) {
    for _ in 0..times {
        *black_box(counter).lock() += 1;
    }
}

/// Tokio's, which is handed to the task that has waited longest.
pub async fn tokio_mutex(counter: &TokioMutex<u64>, times: u64) {
    for _ in 0..times {
        *counter.lock().await += 1;
    }
}
