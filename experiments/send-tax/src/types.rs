//! Experiment `types`: compares operations on types that threads can share
//! with operations on types for a single thread. No other thread uses the
//! objects meanwhile.
//!
//! Each contender goes through a list of objects. If `access` is `dependent`,
//! the list contains the same object again and again, so that each operation
//! has to wait for the previous one; if it is `independent`, the list
//! contains several objects in turn. The code is the same. Where nothing is
//! written, reads of the same object don't wait for each other; dependent
//! reads then follow references from object to object.

use std::cell::{Cell as StdCell, OnceCell, RefCell};
use std::hint::black_box;
use std::mem::take;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock, RwLock as StdRwLock};
use std::time::Duration;

use harness::{Body, Cell, Experiment};
use measurement::Source;
use parking_lot::RwLock as PlRwLock;
use tokio::sync::Mutex as TokioMutex;
use tokio::task::unconstrained;

use runtimes::tokio::MULTI_THREAD;

use crate::listings::types::{
    arc, as_published, atomic_fetch_add, atomic_load_store, cell, empty, rc,
    ref_cell, std_mutex,
};

pub mod found_first;
pub mod further_locks;
pub mod set_once;

use found_first::{
    static_fetch_add, static_load_store, thread_local_const, thread_local_lazy,
};
use further_locks::{parking_lot_mutex, parking_lot_rw_lock};
use further_locks::{std_rw_lock, tokio_mutex};
use set_once::{once_cell, once_lock, reference};

/// The length of a list, and the number of passes through it in one operation
/// of the benchmark: enough that the work between two passes doesn't matter.
pub(crate) const LIST: usize = 1_024;
const TIMES: usize = 8;
const OPERATIONS: u64 = (LIST * TIMES) as u64;

/// The number of objects in an independent list. A dependent list has one.
const OBJECTS: usize = 16;

const PUBLISHED_TIMES: u64 = 50_000_000;

pub(crate) fn experiment() -> Experiment {
    Experiment::new("types", "time per operation", "Cell")
        .cells(Access::ALL.into_iter().flat_map(ours))
        .cells(dependent_only())
        .cell(reference())
        .cell(in_a_task("unconstrained").full_only())
        .cell(empty())
        .cells(published())
}

/// The dependence between operations. Dependent operations access the same
/// object, so that each waits for the previous one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Dependent,
    Independent,
}

impl Access {
    const ALL: [Access; 2] = [Access::Dependent, Access::Independent];

    fn name(self) -> &'static str {
        match self {
            Access::Dependent => "dependent",
            Access::Independent => "independent",
        }
    }

    fn objects(self) -> usize {
        match self {
            Access::Dependent => 1,
            Access::Independent => OBJECTS,
        }
    }
}

/// Returns a list of `LIST` elements that cycles through the elements of
/// `of`.
pub(crate) fn list<T: Clone>(of: &[T]) -> Vec<T> {
    of.iter().cycle().take(LIST).cloned().collect()
}

/// Creates the objects for a list, and leaks them, so that references to them
/// live as long as the process.
fn leaked<T>(access: Access, new: impl Fn() -> T) -> Vec<&'static T> {
    let objects = 0..access.objects();
    objects.map(|_| &*Box::leak(Box::new(new()))).collect()
}

/// Creates a benchmark in which `add_up` adds up the numbers in a list; each
/// number is 1. LLVM can't see which function is called, so all contenders
/// are called in the same way.
fn adding_up<T: Clone + 'static>(
    objects: impl Fn() -> Vec<T> + 'static,
    add_up: fn(&[T]) -> u64,
) -> Body {
    Body::here(move || {
        let (list, add_up) = (list(&objects()), black_box(add_up));
        move || (0..TIMES).map(|_| add_up(&list)).sum::<u64>()
    })
}

/// Creates a benchmark in which `follow` goes along a chain of references,
/// and adds up the numbers found; each number is 1.
fn following<Stop: 'static>(
    first: fn() -> &'static Stop,
    follow: fn(&'static Stop, usize) -> u64,
) -> Body {
    Body::here(move || {
        let (first, follow) = (black_box(first()), black_box(follow));
        move || (0..TIMES).map(|_| follow(first, LIST)).sum::<u64>()
    })
}

/// Creates a benchmark in which `count` adds one to each counter in a list.
/// Afterwards, `take` returns each count and resets it.
fn counting<T: Default + 'static>(
    access: Access,
    count: fn(&[&T]),
    take: fn(&T) -> u64,
) -> Body {
    Body::here(move || {
        let counters = leaked(access, T::default);
        let (list, count) = (list(&counters), black_box(count));
        move || {
            (0..TIMES).for_each(|_| count(&list));
            counters.iter().copied().map(take).sum::<u64>()
        }
    })
}

/// Creates a benchmark in which `count` repeatedly adds one to the counter
/// with index 0.
fn counting_in_places(
    count: fn(&[usize]),
    take: impl Fn() -> u64 + Copy + 'static,
) -> Body {
    Body::here(move || {
        let (list, count) = (list(&[0]), black_box(count));
        move || {
            (0..TIMES).for_each(|_| count(&list));
            take()
        }
    })
}

/// Returns whether the page's first comparison includes the contender, which
/// is then measured more often.
fn is_headline(contender: &str, access: Access) -> bool {
    match contender {
        "Arc" | "AtomicU64::fetch_add" | "Cell" => true,
        "Rc" => access == Access::Dependent,
        _ => false,
    }
}

/// Returns whether a quick run includes the contender. For a readers-writer
/// lock, a quick run has only one kind of access.
fn in_quick(contender: &str, access: Access) -> bool {
    access == Access::Dependent || contender != "std RwLock::read"
}

/// Returns the name of the group in which the contender is compared with
/// others.
fn family(contender: &str) -> &'static str {
    match contender {
        "OnceCell" | "OnceLock" | "reference" | "empty" => "read only",
        "static fetch_add"
        | "static load + store"
        | "thread_local const"
        | "thread_local lazy" => "found first",
        "parking_lot Mutex"
        | "tokio Mutex"
        | "tokio Mutex::try_lock"
        | "std RwLock::read"
        | "std RwLock::write"
        | "parking_lot RwLock::read"
        | "parking_lot RwLock::write" => "further locks",
        _ => "shared or not",
    }
}

fn cell(contender: &str, access: Access, arm: &str, body: Body) -> Cell {
    let cell = Cell::new(contender, OPERATIONS, body)
        .per(OPERATIONS)
        .parameter("access", access.name())
        .parameter("arm", arm)
        .group(&format!("{}, {}", family(contender), access.name()));
    let cell =
        if is_headline(contender, access) { cell } else { cell.in_sweep() };
    if in_quick(contender, access) {
        cell
    } else {
        cell.full_only()
    }
}

fn ours(access: Access) -> Vec<Cell> {
    let ours = |contender, body| cell(contender, access, "ours", body);
    let shared = counted(access).into_iter().chain(counters(access));
    let all = shared.chain(locks(access)).chain(set_once(access));
    all.map(|(name, body)| ours(name, body)).collect()
}

/// Measures the contenders for which one kind of access is enough.
fn dependent_only() -> Vec<Cell> {
    let access = Access::Dependent;
    let all = further_locks(access).into_iter().chain(places());
    let cells = all.map(|(name, body)| cell(name, access, "ours", body));
    cells.chain([in_a_task("ours")]).collect()
}

type Named = (&'static str, Body);

fn reference() -> Cell {
    let access = Access::Independent;
    let body = adding_up(move || leaked(access, || 1), reference::read);
    cell("reference", access, "ours", body)
}

fn counted(access: Access) -> [Named; 2] {
    let objects = move || 0..access.objects();
    let arcs = move || objects().map(|_| Arc::new(1)).collect();
    let rcs = move || objects().map(|_| Rc::new(1)).collect();
    [
        ("Arc", adding_up(arcs, arc::clone_and_drop)),
        ("Rc", adding_up(rcs, rc::clone_and_drop)),
    ]
}

fn counters(access: Access) -> [Named; 3] {
    let taken = |counter: &AtomicU64| counter.swap(0, Relaxed);
    [
        (
            "AtomicU64::fetch_add",
            counting(access, atomic_fetch_add::count, taken),
        ),
        (
            "AtomicU64 load + store",
            counting(access, atomic_load_store::count, taken),
        ),
        ("Cell", counting(access, cell::count, StdCell::take)),
    ]
}

fn locks(access: Access) -> [Named; 3] {
    let std_mutex = counting(access, std_mutex::count, |counter| {
        take(&mut *counter.lock().expect("no one panics with it"))
    });
    let ref_cell = counting(access, ref_cell::count, RefCell::take);
    let std_locks = move || leaked(access, || StdRwLock::new(1));
    [
        ("std Mutex", std_mutex),
        ("RefCell", ref_cell),
        ("std RwLock::read", adding_up(std_locks, std_rw_lock::read)),
    ]
}

fn further_locks(access: Access) -> [Named; 5] {
    use {parking_lot_mutex as pl_mutex, parking_lot_rw_lock as pl_rw_lock};
    let pl_mutex =
        counting(access, pl_mutex::count, |counter| take(&mut *counter.lock()));
    let try_lock =
        counting(access, tokio_mutex::try_count, take_from_tokio_mutex);
    let std_write = counting(access, std_rw_lock::count, |counter| {
        take(&mut *counter.write().expect("no one panics with it"))
    });
    let pl_write = counting(access, pl_rw_lock::count, |counter| {
        take(&mut *counter.write())
    });
    let pl_locks = move || leaked(access, || PlRwLock::new(1));
    [
        ("parking_lot Mutex", pl_mutex),
        ("tokio Mutex::try_lock", try_lock),
        ("std RwLock::write", std_write),
        ("parking_lot RwLock::write", pl_write),
        ("parking_lot RwLock::read", adding_up(pl_locks, pl_rw_lock::read)),
    ]
}

fn take_from_tokio_mutex(counter: &TokioMutex<u64>) -> u64 {
    take(&mut *counter.try_lock().expect("no one else has it"))
}

/// Measures Tokio's mutex, locked in a task. The task has to yield after a
/// number of locks, unless it is unconstrained.
fn in_a_task(arm: &str) -> Cell {
    let access = Access::Dependent;
    let counters = leaked(access, TokioMutex::<u64>::default);
    let counters: &'static [_] = counters.leak();
    let list: &'static [_] = list(counters).leak();
    let makes_way = arm == "ours";
    let body = Body::task(MULTI_THREAD, move || async move {
        for _ in 0..TIMES {
            let count = tokio_mutex::count(list);
            if makes_way {
                count.await;
            } else {
                unconstrained(count).await;
            }
        }
        counters.iter().copied().map(take_from_tokio_mutex).sum::<u64>()
    });
    cell("tokio Mutex", access, arm, body)
}

fn set_once(access: Access) -> [Named; 2] {
    let (lock, cell) = match access {
        Access::Dependent => {
            use {once_cell::Stop as CellStop, once_lock::Stop as LockStop};
            let lock = following(
                || {
                    let next = OnceLock::new();
                    let stop =
                        &*Box::leak(Box::new(LockStop { number: 1, next }));
                    stop.next.get_or_init(|| stop);
                    stop
                },
                once_lock::follow,
            );
            let cell = following(
                || {
                    let next = OnceCell::new();
                    let stop =
                        &*Box::leak(Box::new(CellStop { number: 1, next }));
                    stop.next.get_or_init(|| stop);
                    stop
                },
                once_cell::follow,
            );
            (lock, cell)
        }
        Access::Independent => {
            let locks = move || leaked(access, || OnceLock::from(1));
            let cells = move || leaked(access, || OnceCell::from(1));
            let lock = adding_up(locks, once_lock::read);
            (lock, adding_up(cells, once_cell::read))
        }
    };
    [("OnceLock", lock), ("OnceCell", cell)]
}

/// Counters that an operation has to find, in a static array or in
/// thread-local storage, before it can add one.
fn places() -> [Named; 4] {
    let take_shared = |counters: &[AtomicU64]| {
        counters.iter().map(|counter| counter.swap(0, Relaxed)).sum()
    };
    let fetch_add = counting_in_places(static_fetch_add::count, move || {
        take_shared(&static_fetch_add::COUNTERS)
    });
    let load_store = counting_in_places(static_load_store::count, move || {
        take_shared(&static_load_store::COUNTERS)
    });
    let at_first = counting_in_places(thread_local_const::count, || {
        let take_all = |counters: &[StdCell<u64>; OBJECTS]| {
            counters.iter().map(StdCell::take).sum()
        };
        thread_local_const::COUNTERS.with(take_all)
    });
    let later = counting_in_places(thread_local_lazy::count, || {
        let take_all = |counters: &[StdCell<u64>; OBJECTS]| {
            counters.iter().map(StdCell::take).sum()
        };
        thread_local_lazy::COUNTERS.with(take_all)
    });
    [
        ("static fetch_add", fetch_add),
        ("static load + store", load_store),
        ("thread_local const", at_first),
        ("thread_local lazy", later),
    ]
}

/// Measures the loop with an empty body. The time of this loop is part of
/// every other result.
fn empty() -> Cell {
    let body = Body::here(|| {
        let list = list(&leaked(Access::Independent, || 1));
        let walk = black_box(empty::walk as fn(&[&u64]));
        move || {
            (0..TIMES).for_each(|_| walk(&list));
            OPERATIONS
        }
    });
    cell("empty", Access::Independent, "ours", body)
}

/// Measures `thread-per-core.arc` and `.atomic` as published. Each loop is
/// timed as a whole, once per process, because it takes too long for
/// criterion's sampling.
fn published() -> [Cell; 4] {
    let cell = |contender, run: fn(u64) -> (Duration, u64)| {
        let take = move || {
            let (elapsed, answer) = run(PUBLISHED_TIMES);
            if answer == PUBLISHED_TIMES {
                let nanoseconds = elapsed.as_secs_f64() * 1e9;
                Ok(vec![nanoseconds / PUBLISHED_TIMES as f64])
            } else {
                Err(format!("{answer}, not {PUBLISHED_TIMES}"))
            }
        };
        let quantities = ["time per operation"];
        Cell::readings(contender, Source::Harness, &quantities, take)
            .parameter("access", Access::Dependent.name())
            .parameter("arm", "as published")
    };
    [
        // There is no count to check, since each clone is dropped again.
        cell("Arc", |times| (as_published::arc(times), times)),
        cell("Rc", |times| (as_published::rc(times), times)),
        cell("AtomicU64::fetch_add", as_published::atomic),
        cell("Cell", as_published::cell),
    ]
}
