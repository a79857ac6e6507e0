//! Experiment `shared-maps`: threads on separate cores look up and insert
//! values in one map.
//!
//! Time per operation: from the first thread's start to the last one's end,
//! divided by the operations per thread.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, RwLock};

use dashmap::DashMap;
use fastrand::Rng;
use harness::{Body, Cell, Experiment, Placement};

use crate::listings::shared_maps::{papaya, std_rw_lock};
use crate::threads::Threads;

mod others;

use others::{dash_map, std_mutex};

/// The number of keys in the map, all inserted before the threads start.
const KEYS: u64 = 1_000;

/// The number of lookups and insertions per thread in one operation of the
/// benchmark. It is large enough to make differences between the start times
/// of threads negligible.
const OPERATIONS: u64 = 20_480;

/// The number of threads, and the percentage of operations that are lookups.
#[derive(Clone, Copy)]
struct Setting {
    threads: usize,
    gets: u64,
}

const CENTRE: Setting = Setting { threads: 2, gets: 99 };

impl Setting {
    fn inserts(self, operation: u64) -> bool {
        let every = 100 / (100 - self.gets);
        operation % every == every - 1
    }

    /// Returns the keys that thread number `place` uses, in random order.
    fn keys(place: usize) -> Vec<u64> {
        let mut rng = Rng::with_seed(43 + place as u64);
        (0..OPERATIONS).map(|_| rng.u64(0..KEYS)).collect()
    }
}

pub(crate) fn experiment() -> Experiment {
    let half = Setting { gets: 50, ..CENTRE };
    let alone = Setting { threads: 1, ..CENTRE };
    Experiment::new("shared-maps", "time per operation", "std Mutex")
        .cells(cells(CENTRE))
        .cells(cells(half).map(|cell| cell.in_sweep().full_only()))
        .cells(cells(alone).map(|cell| cell.in_sweep().full_only()))
}

fn cells(setting: Setting) -> [Cell; 4] {
    let cell = |contender: &str, body| {
        let all = setting.threads as u64 * OPERATIONS;
        Cell::new(contender, all, body)
            .per(OPERATIONS)
            .parameter("threads", setting.threads as i64)
            .parameter("gets_percent", setting.gets as i64)
            .placement(Placement::Neighbours)
    };
    [
        cell(
            "std Mutex",
            body::<Mutex<HashMap<u64, u64>>>(
                setting,
                std_mutex::get,
                std_mutex::insert,
            ),
        ),
        cell(
            "std RwLock",
            body::<RwLock<HashMap<u64, u64>>>(
                setting,
                std_rw_lock::get,
                std_rw_lock::insert,
            ),
        ),
        cell(
            "DashMap",
            body::<DashMap<u64, u64>>(setting, dash_map::get, dash_map::insert),
        ),
        cell(
            "papaya",
            body::<::papaya::HashMap<u64, u64>>(
                setting,
                papaya::get,
                papaya::insert,
            ),
        ),
    ]
}

/// Counts the correct operations: all insertions, and each lookup that finds
/// the right value of its key.
fn body<Map: Default + Send + Sync + 'static>(
    setting: Setting,
    get: impl Fn(&Map, u64) -> Option<u64> + Copy + Send + Sync + 'static,
    insert: impl Fn(&Map, u64, u64) + Copy + Send + Sync + 'static,
) -> Body {
    let threads =
        Threads { count: setting.threads, placement: Placement::Neighbours };
    threads.together(move || {
        let map = Arc::new(Map::default());
        (0..KEYS).for_each(|key| insert(&map, key, key + 1));
        let keys: Vec<_> = (0..setting.threads).map(Setting::keys).collect();
        let work = move |place: usize| {
            let operation = |(operation, &key): (u64, &u64)| {
                if setting.inserts(operation) {
                    insert(&map, key, key + 1);
                    1
                } else {
                    u64::from(get(&map, key) == Some(key + 1))
                }
            };
            (0..).zip(&keys[place]).map(operation).sum()
        };
        (work, |sum| sum)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_operations_get_a_value_as_is_said() {
        for (gets, expected) in [(99, 10), (50, 500)] {
            let setting = Setting { gets, ..CENTRE };
            let inserts =
                (0..1_000).filter(|&operation| setting.inserts(operation));
            assert_eq!(inserts.count(), expected);
        }
    }
}
