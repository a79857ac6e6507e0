//! Experiment `read-mostly`: two threads repeatedly read a configuration that
//! hardly ever changes.
//!
//! An operation is either a read of the configuration, during which the
//! thread works for 100 ns or 10 us, or a write by the first thread. Time per
//! operation: from the first thread's start to the last one's end, divided by
//! the operations per thread.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::Duration;

use harness::work::{rounds_in, work};
use harness::{Body, Cell, Experiment, Placement};

use crate::threads::Threads;

mod stores;

use stores::{Config, Store};

const THREADS: usize = 2;

/// How long each read of the configuration takes, and the number of
/// operations per thread in one operation of the benchmark.
const SHORT: (Duration, u64) = (Duration::from_nanos(100), 20_000);
const LONG: (Duration, u64) = (Duration::from_micros(10), 300);

/// Of every `ONE_IN` operations of the first thread, one replaces the
/// configuration. The others are reads.
const ONE_IN: u64 = 1_000;

pub(crate) fn experiment() -> Experiment {
    Experiment::new("read-mostly", "time per operation", "reference")
        .cells(centre())
        .cells(changed())
        .cells(long_looks())
}

fn centre() -> Vec<Cell> {
    vec![
        cell::<stores::Reference>("reference", SHORT, false),
        cell::<stores::StdRwLock>("std RwLock", SHORT, false),
        cell::<stores::ParkingLotRwLock>("parking_lot RwLock", SHORT, false),
        cell::<stores::StdMutex>("std Mutex", SHORT, false),
        cell::<stores::Swapped>("ArcSwap::load", SHORT, false).twinned(),
        cell::<stores::SwappedFull>("ArcSwap::load_full", SHORT, false),
        cell::<stores::SwappedCached>("arc_swap::Cache", SHORT, false),
        cell::<stores::LeftRight>("left-right", SHORT, false),
        cell::<stores::Watch>("watch::borrow", SHORT, false),
        cell::<stores::Copies>("copy with version", SHORT, false),
    ]
}

fn changed() -> [Cell; 5] {
    [
        cell::<stores::StdRwLock>("std RwLock", SHORT, true),
        cell::<stores::Swapped>("ArcSwap::load", SHORT, true),
        cell::<stores::SwappedCached>("arc_swap::Cache", SHORT, true),
        cell::<stores::LeftRight>("left-right", SHORT, true),
        cell::<stores::Watch>("watch::borrow", SHORT, true),
    ]
    .map(|cell| cell.in_sweep().full_only())
}

fn long_looks() -> [Cell; 4] {
    [
        cell::<stores::Reference>("reference", LONG, false),
        cell::<stores::StdRwLock>("std RwLock", LONG, false),
        cell::<stores::StdMutex>("std Mutex", LONG, false),
        cell::<stores::Swapped>("ArcSwap::load", LONG, false),
    ]
    .map(|cell| cell.in_sweep().full_only())
}

/// Creates a benchmark whose result is the number of correct operations. A
/// read is correct if all parts of the configuration have the same version,
/// and the thread hasn't already seen a newer one.
fn cell<S: Store>(
    contender: &str,
    (look, operations): (Duration, u64),
    writes: bool,
) -> Cell {
    let threads = Threads { count: THREADS, placement: Placement::Neighbours };
    let body = body::<S>(threads, look, operations, writes);
    Cell::new(contender, THREADS as u64 * operations, body)
        .per(operations)
        .parameter("look_ns", look.as_nanos() as i64)
        .parameter("writes", if writes { "1 in 1000" } else { "none" })
        .parameter("threads", THREADS as i64)
        .placement(threads.placement)
}

fn body<S: Store>(
    threads: Threads,
    look: Duration,
    operations: u64,
    writes: bool,
) -> Body {
    threads.together(move || {
        let store = Arc::new(S::new(Config::default()));
        let read_from = Arc::clone(&store);
        let rounds = rounds_in(look);
        let work = move |place: usize| {
            let mut reader = read_from.reader();
            let (mut right, mut seen) = (0, 0);
            for operation in 1..=operations {
                if writes && place == 0 && operation.is_multiple_of(ONE_IN) {
                    // Adding one to the version is safe, since no other
                    // thread writes.
                    read_from.write([seen + 1; 8]);
                    right += 1;
                } else if let Some(version) =
                    S::read(&mut reader, |config| looked_at(config, rounds))
                {
                    right += u64::from(version >= seen);
                    seen = version;
                }
            }
            right
        };
        let batches = AtomicU64::new(0);
        let finish = move |right: u64| {
            let batches = batches.fetch_add(1, Ordering::Relaxed) + 1;
            let written =
                if writes { batches * (operations / ONE_IN) } else { 0 };
            let last =
                S::read(&mut store.reader(), |config| looked_at(config, 0));
            if last == Some(written) {
                right
            } else {
                0
            }
        };
        (work, finish)
    })
}

/// Works for `rounds` rounds while holding `config`. Returns the version of
/// `config`, or `None` if its parts have different versions.
fn looked_at(config: &Config, rounds: u64) -> Option<u64> {
    work(rounds);
    let [version, others @ ..] = config;
    others.iter().all(|other| other == version).then_some(*version)
}
