//! Experiment `contended`: threads on separate cores count keys. They share
//! one map, or each thread counts in its own map and merges it into a shared
//! one at the end.
//!
//! Time per operation: from the first thread's start to the last one's end,
//! divided by the operations per thread.

use std::collections::HashMap;
use std::mem::take;
use std::sync::{Arc, Mutex};

use dashmap::DashMap;
use harness::{Body, Cell, Experiment};

use crate::listings::contended::own_map;
use crate::threads::Threads;

pub mod shared_maps;

/// The number of keys that each thread counts in one operation of the
/// benchmark. It is large enough to make differences between the start times
/// of threads negligible.
const COUNTS: usize = 20_480;

const KEYS: u64 = 1_000;

pub(crate) fn experiment() -> Experiment {
    Experiment::new("contended", "time per operation", "std Mutex")
        .cells(maps(Threads::on_all_cores()))
        .cells(maps(Threads::alone()).map(Cell::full_only))
}

fn maps(threads: Threads) -> [Cell; 3] {
    type Count<Map> = fn(&Map, &[u64], usize);
    let std_mutex = |count: Count<Mutex<HashMap<u64, u64>>>| {
        map(threads, count, |map| {
            let mut counts = map.lock().expect("no one panics with it");
            counts.values_mut().map(take).sum()
        })
    };
    let dash_map = map(
        threads,
        shared_maps::dash_map::count,
        |map: &DashMap<u64, u64>| {
            map.iter_mut().map(|mut count| take(&mut *count)).sum()
        },
    );
    let cell = |contender: &str, layout: &str, body| {
        Cell::new(contender, (threads.count * COUNTS) as u64, body)
            .per(COUNTS as u64)
            .parameter("kernel", "map")
            .parameter("layout", layout)
            .parameter("cores", threads.cores())
            .placement(threads.placement)
            .group(&format!("cores={}", threads.cores()))
    };
    let shared = |contender, body| cell(contender, "shared", body);
    let own = std_mutex(own_map::count);
    [
        shared("std Mutex", std_mutex(shared_maps::std_mutex::count)),
        shared("DashMap", dash_map),
        cell("baseline", "padded", own),
    ]
}

fn map<Map: Default + Send + Sync + 'static>(
    threads: Threads,
    count: fn(&Map, &[u64], usize),
    take: fn(&Map) -> u64,
) -> Body {
    threads.together(move || {
        let map = Arc::new(Map::default());
        // The threads start at different keys, so that they don't all access
        // the same key at once.
        let starts_at = |thread| thread * KEYS / threads.count as u64;
        let keys = move |thread| {
            let first = starts_at(thread);
            (first..KEYS).chain(0..first).collect()
        };
        let keys: Vec<Vec<u64>> = (0..threads.count as u64).map(keys).collect();
        let counted_in = Arc::clone(&map);
        let work = move |place: usize| {
            count(&counted_in, &keys[place], COUNTS);
            0
        };
        (work, move |_| take(&map))
    })
}
