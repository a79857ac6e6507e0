//! Experiment `maps`: an insert and a lookup in a map of 1,000 keys. Some
//! maps can be changed by several threads, the others only by one. Only one
//! thread uses the map.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, RwLock};
use std::time::Duration;

use dashmap::DashMap;
use harness::{Body, Cell, Experiment};
use measurement::Source;

use crate::listings::maps::{
    as_published, bare, dash_map, one_lock, parking_lot_mutex, ref_cell,
    std_mutex, std_rw_lock,
};

/// The number of keys. From the second operation on, all keys are already in
/// the map.
const KEYS: u64 = 1_000;

/// The number of iterations in the published benchmark, and the resulting sum
/// of the map's values.
const PUBLISHED_TIMES: u64 = 5_000_000;
const PUBLISHED_SUM: u64 = {
    let first = PUBLISHED_TIMES - KEYS;
    (first + PUBLISHED_TIMES - 1) * KEYS / 2
};

pub(crate) fn experiment() -> Experiment {
    Experiment::new("maps", "time per operation", "baseline")
        .cells(ours::<RandomState>("SipHash"))
        .cells(ours::<foldhash::fast::RandomState>("foldhash"))
        .cells(published())
}

fn ours<S: BuildHasher + Clone + Default + 'static>(hash: &str) -> [Cell; 7] {
    type Map<S> = HashMap<u64, u64, S>;
    let cell = |contender, arm, body| {
        Cell::new(contender, (0..KEYS).sum(), body)
            .per(KEYS)
            .parameter("hash", hash)
            .parameter("arm", arm)
            .in_sweep()
    };
    let bare = Body::here(|| {
        let mut map = Map::<S>::default();
        move || bare::insert_and_get(&mut map, KEYS)
    });
    let ref_cell = Body::here(|| {
        let map = RefCell::<Map<S>>::default();
        move || ref_cell::insert_and_get(&map, KEYS)
    });
    let std_mutex = Body::here(|| {
        let map = Mutex::<Map<S>>::default();
        move || std_mutex::insert_and_get(&map, KEYS)
    });
    let one_lock = Body::here(|| {
        let map = Mutex::<Map<S>>::default();
        move || one_lock::insert_and_get(&map, KEYS)
    });
    let parking_lot_mutex = Body::here(|| {
        let map = parking_lot::Mutex::<Map<S>>::default();
        move || parking_lot_mutex::insert_and_get(&map, KEYS)
    });
    let std_rw_lock = Body::here(|| {
        let map = RwLock::<Map<S>>::default();
        move || std_rw_lock::insert_and_get(&map, KEYS)
    });
    let dash_map = Body::here(|| {
        let map = DashMap::<u64, u64, S>::default();
        move || dash_map::insert_and_get(&map, KEYS)
    });
    [
        cell("baseline", "ours", bare),
        cell("RefCell", "ours", ref_cell),
        cell("std Mutex", "ours", std_mutex),
        cell("std Mutex", "one lock", one_lock),
        cell("parking_lot Mutex", "ours", parking_lot_mutex),
        cell("std RwLock", "ours", std_rw_lock),
        cell("DashMap", "ours", dash_map),
    ]
}

/// Measures `thread-per-core.mutex-map` as published, and with a change that
/// makes its two loops do the same work. Each loop is timed as a whole, once
/// per process, because it takes too long for criterion's sampling.
fn published() -> [Cell; 3] {
    let cell = |contender, arm, run: fn(u64) -> (Duration, u64)| {
        let take = move || {
            let (elapsed, sum) = run(PUBLISHED_TIMES);
            if sum == PUBLISHED_SUM {
                let nanoseconds = elapsed.as_secs_f64() * 1e9;
                Ok(vec![nanoseconds / PUBLISHED_TIMES as f64])
            } else {
                Err(format!("{sum}, not {PUBLISHED_SUM}"))
            }
        };
        let quantities = ["time per operation"];
        Cell::readings(contender, Source::Harness, &quantities, take)
            .parameter("hash", "SipHash")
            .parameter("arm", arm)
    };
    [
        cell("std Mutex", "as published", as_published::mutex),
        cell("std Mutex", "copied", as_published::mutex_copied),
        cell("RefCell", "as published", as_published::ref_cell),
    ]
}
