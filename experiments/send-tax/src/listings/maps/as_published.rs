//! The loops of `thread-per-core.mutex-map`, in our words. They do unequal work:
//! under the mutex, what is got is a reference, and no one reads the value; out of
//! the `RefCell`, the value is copied. In the source, that is
//! `black_box(mutex_map.lock().unwrap().get(&key));` against
//! `black_box(refcell_map.borrow().get(&key).copied());`. The maps grow on the
//! clock, and both locks are taken twice in a turn.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hint::black_box;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// How many keys there are.
const KEYS: u64 = 1_000;

/// So many times behind a mutex; returns the sum of what is in the map as well.
pub fn mutex(times: u64) -> (Duration, u64) {
    let map = Mutex::new(HashMap::new());
    let start = Instant::now();
    for i in 0..times {
        let key = i % KEYS;
        map.lock().unwrap().insert(key, i);
        black_box(map.lock().unwrap().get(&key));
    }
    let elapsed = start.elapsed();
    (elapsed, map.into_inner().unwrap().into_values().sum())
}

/// The same, but for copying the value as the `RefCell`'s loop does.
pub fn mutex_copied(times: u64) -> (Duration, u64) {
    let map = Mutex::new(HashMap::new());
    let start = Instant::now();
    for i in 0..times {
        let key = i % KEYS;
        map.lock().unwrap().insert(key, i);
        black_box(map.lock().unwrap().get(&key).copied());
    }
    let elapsed = start.elapsed();
    (elapsed, map.into_inner().unwrap().into_values().sum())
}

/// So many times in a `RefCell`; returns the sum of what is in the map as well.
pub fn ref_cell(times: u64) -> (Duration, u64) {
    let map = RefCell::new(HashMap::new());
    let start = Instant::now();
    for i in 0..times {
        let key = i % KEYS;
        map.borrow_mut().insert(key, i);
        black_box(map.borrow().get(&key).copied());
    }
    let elapsed = start.elapsed();
    (elapsed, map.into_inner().into_values().sum())
}
