//! The loops of the published claim `thread-per-core.mutex-map`, rewritten.
//! They do unequal work: under the mutex, the lookup returns a reference
//! whose value is never read; from the `RefCell`, the value is copied. The
//! source has `black_box(mutex_map.lock().unwrap().get(&key));` and
//! `black_box(refcell_map.borrow().get(&key).copied());`. The maps grow while
//! the clock runs, and both versions lock twice per iteration.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hint::black_box;
use std::sync::Mutex;
use std::time::{Duration, Instant};

const KEYS: u64 = 1_000;

/// Does `times` inserts and lookups in a map behind a mutex. Returns the
/// elapsed time and the sum of the map's values.
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

/// Like [`mutex`], but copies the value that it looks up, as [`ref_cell`]
/// does.
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

/// Does `times` inserts and lookups in a map in a `RefCell`. Returns the
/// elapsed time and the sum of the map's values.
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
