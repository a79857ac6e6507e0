//! Experiment `contended`: threads that count, each on a core of its own, in a
//! counter or map of all or in one each.
//!
//! An operation's time is what it takes of a core's: the time from when the first
//! thread begins until the last has ended, by the operations of one thread.

use std::collections::HashMap;
use std::mem::take;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread::available_parallelism;

use dashmap::DashMap;
use harness::{Body, Cell, Experiment, Placement};

use crate::listings::contended::{layout, own_map};
use crate::listings::types::{atomic_fetch_add, atomic_load_store, std_mutex};
use crate::types::further_locks::parking_lot_mutex;
use crate::types::{list, LIST};

pub mod arc;
pub mod shared_maps;

/// How often a thread goes through its list in an operation of the harness's: so
/// often that threads which do not begin at quite the same moment do not count.
const TIMES: usize = 200;

/// How many keys a thread counts in one, which takes longer.
const COUNTS: usize = 20 * LIST;

/// How many keys the maps have.
const KEYS: u64 = 1_000;

/// Whose the counters are, and where they lie.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    Shared,
    Adjacent,
    Padded,
}

/// Where the threads are, and how many.
#[derive(Clone, Copy)]
struct Threads {
    count: usize,
    placement: Placement,
}

pub(crate) fn experiment() -> Experiment {
    let cores = available_parallelism().map_or(1, usize::from);
    let all = Threads { count: cores, placement: Placement::Neighbours };
    let unpinned = Threads { placement: Placement::AllCores, ..all };
    let one = Threads { count: 1, ..all };
    let in_full = |cells: Vec<Cell>| cells.into_iter().map(Cell::full_only);
    Experiment::new("contended", "time per operation", "AtomicU64::fetch_add")
        .cells(counters(Layout::Shared, all))
        .cells(counters(Layout::Adjacent, all))
        .cells(counters(Layout::Padded, all))
        .cells(arcs(all))
        .cells(maps(all))
        .cells(in_full(counters(Layout::Shared, unpinned)))
        .cells(in_full(counters(Layout::Shared, one)))
        .cells(in_full(maps(one)))
}

/// What the threads do, as the parameter `kernel`.
#[derive(Clone, Copy)]
enum Act {
    Count,
    Clone,
    Map,
}

impl Act {
    fn name(self) -> &'static str {
        match self {
            Act::Count => "count",
            Act::Clone => "clone",
            Act::Map => "map",
        }
    }

    /// Of each thread, in an operation of the harness's.
    fn operations(self) -> usize {
        match self {
            Act::Count | Act::Clone => TIMES * LIST,
            Act::Map => COUNTS,
        }
    }
}

fn cell(
    act: Act,
    contender: &str,
    layout: Layout,
    threads: Threads,
    body: Body,
) -> Cell {
    let Threads { count, placement } = threads;
    let operations = act.operations();
    let layout = match layout {
        Layout::Shared => "shared",
        Layout::Adjacent => "adjacent",
        Layout::Padded => "padded",
    };
    Cell::new(contender, (count * operations) as u64, body)
        .per(operations as u64)
        .parameter("kernel", act.name())
        .parameter("layout", layout)
        .parameter("cores", if count == 1 { "one" } else { "all" })
        .placement(placement)
        .in_sweep()
}

impl Threads {
    fn together<Work, Finish>(
        self,
        start: impl Fn() -> (Work, Finish) + 'static,
    ) -> Body
    where
        Work: Fn(usize) -> u64 + Send + Sync + 'static,
        Finish: Fn(u64) -> u64 + Send + Sync + 'static,
    {
        let pinned = self.placement == Placement::Neighbours;
        Body::together(self.count, pinned, start)
    }
}

fn counters(layout: Layout, threads: Threads) -> Vec<Cell> {
    let cell =
        |contender, body| cell(Act::Count, contender, layout, threads, body);
    let taken = |counter: &AtomicU64| counter.swap(0, Relaxed);
    let fetch_add = counter(layout, threads, atomic_fetch_add::count, taken);
    let load_store = counter(layout, threads, atomic_load_store::count, taken);
    let std_mutex = counter(layout, threads, std_mutex::count, |counter| {
        take(&mut *counter.lock().expect("no one panics with it"))
    });
    let parking_lot_mutex =
        counter(layout, threads, parking_lot_mutex::count, |counter| {
            take(&mut *counter.lock())
        });
    let mut cells = vec![
        cell("AtomicU64::fetch_add", fetch_add),
        cell("std Mutex", std_mutex),
        cell("parking_lot Mutex", parking_lot_mutex),
    ];
    // With several threads that write, it would lose counts.
    if layout != Layout::Shared || threads.count == 1 {
        cells.push(cell("AtomicU64 load + store", load_store));
    }
    cells
}

/// Threads that count, each in the counter that the layout gives it.
fn counter<T: Default + Sync + 'static>(
    layout: Layout,
    threads: Threads,
    count: fn(&[&T]),
    take: fn(&T) -> u64,
) -> Body {
    threads.together(move || {
        let counters: Vec<&'static T> = match layout {
            Layout::Shared => layout::shared(threads.count),
            Layout::Adjacent => layout::adjacent(threads.count),
            Layout::Padded => layout::padded(threads.count),
        };
        let of_one = |&counter| list(&[counter]);
        let lists: Vec<_> = counters.iter().map(of_one).collect();
        let work = move |place: usize| {
            (0..TIMES).for_each(|_| count(&lists[place]));
            0
        };
        (work, move |_| counters.iter().copied().map(take).sum())
    })
}

/// Threads that clone an `Arc` and drop the clone: that of all, or one each.
fn arcs(threads: Threads) -> [Cell; 2] {
    let body = |layout| {
        threads.together(move || {
            let arcs = match layout {
                Layout::Shared => vec![arc::apart(); threads.count],
                _ => (0..threads.count).map(|_| arc::apart()).collect(),
            };
            let lists: Vec<_> =
                arcs.into_iter().map(|arc| list(&[arc])).collect();
            let work = move |place: usize| {
                (0..TIMES).map(|_| arc::clone_and_drop(&lists[place])).sum()
            };
            (work, |sum| sum)
        })
    };
    let cell = |layout| cell(Act::Clone, "Arc", layout, threads, body(layout));
    [cell(Layout::Shared), cell(Layout::Padded)]
}

/// Threads that count keys, in the map of all or first in one each.
fn maps(threads: Threads) -> Vec<Cell> {
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
    let shared = |contender, body| {
        cell(Act::Map, contender, Layout::Shared, threads, body)
    };
    let own = std_mutex(own_map::count);
    vec![
        shared("std Mutex", std_mutex(shared_maps::std_mutex::count)),
        shared("DashMap", dash_map),
        cell(Act::Map, "baseline", Layout::Padded, threads, own),
    ]
}

fn map<Map: Default + Send + Sync + 'static>(
    threads: Threads,
    count: fn(&Map, &[u64], usize),
    take: fn(&Map) -> u64,
) -> Body {
    threads.together(move || {
        let map = Arc::new(Map::default());
        // So that not all want the same key at the same time.
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
