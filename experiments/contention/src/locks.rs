//! Experiment `locks`: threads on separate cores increment a counter under a
//! lock. They share one counter, or each thread has its own.
//!
//! Time per operation: from the first thread's start to the last one's end,
//! divided by the operations per thread.

use std::mem::take;
use std::sync::{Arc, Mutex};

use harness::{room_for_cores, Body, Cell, Counter, Experiment, Placement};
use parking_lot::{FairMutex, Mutex as PlMutex};
use runtimes::tokio::MULTI_THREAD;
use tokio::sync::Mutex as TokioMutex;

use crate::listings::locks::{layout, spinning};
use crate::threads::{cores, Threads};

pub mod counting;
pub mod handover;

use counting::{HANDED_OVER, TIMES};

/// The layout of the counters in memory: one counter for all threads, or one
/// counter per thread, either adjacent or padded.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    Shared,
    Adjacent,
    Padded,
}

pub(crate) fn experiment() -> Experiment {
    let all = Threads::on_all_cores();
    let one = Threads::alone();
    Experiment::new("locks", "time per operation", "std Mutex")
        .counting(&[
            Counter::FutexCalls,
            Counter::SchedYieldCalls,
            Counter::ContextSwitches,
            Counter::CpuTime,
        ])
        .cells(counters(Layout::Shared, all))
        .cells(further_locks(all))
        .cell(tokio_mutex())
        .cells(counters(Layout::Adjacent, all).map(Cell::in_sweep))
        .cells(counters(Layout::Padded, all).map(Cell::in_sweep))
        .cells(handover::cells())
        .cells(counters(Layout::Shared, one).map(Cell::full_only))
}

fn cell(
    contender: &str,
    layout: Layout,
    threads: Threads,
    (times, body): (u64, Body),
) -> Cell {
    let layout = match layout {
        Layout::Shared => "shared",
        Layout::Adjacent => "adjacent",
        Layout::Padded => "padded",
    };
    Cell::new(contender, threads.count as u64 * times, body)
        .per(times)
        .parameter("kernel", "count")
        .parameter("layout", layout)
        .parameter("cores", threads.cores())
        .placement(threads.placement)
        .group(&format!("cores={}", threads.cores()))
}

/// The two mutexes that are compared in every layout of the counters.
fn counters(layout: Layout, threads: Threads) -> [Cell; 2] {
    let std_mutex = counter(
        layout,
        threads,
        TIMES,
        counting::std_mutex,
        taken_from_std_mutex,
    );
    let parking_lot_mutex = counter(
        layout,
        threads,
        TIMES,
        counting::parking_lot_mutex,
        taken_from_parking_lot_mutex,
    );
    [
        cell("std Mutex", layout, threads, std_mutex),
        cell("parking_lot Mutex", layout, threads, parking_lot_mutex),
    ]
}

/// Variants of the two mutexes. Each differs in one respect: waiters spin
/// instead of sleeping, or the lock is handed to a sleeping thread.
fn further_locks(threads: Threads) -> [Cell; 3] {
    let shared =
        |contender, body| cell(contender, Layout::Shared, threads, body);
    let layout = Layout::Shared;
    let std_spinning = counter(
        layout,
        threads,
        TIMES,
        counting::std_mutex_spinning,
        taken_from_std_mutex,
    );
    let parking_lot_spinning = counter(
        layout,
        threads,
        TIMES,
        spinning::count,
        taken_from_parking_lot_mutex,
    );
    let fair = counter(
        layout,
        threads,
        HANDED_OVER,
        counting::parking_lot_fair_mutex,
        |counter: &FairMutex<u64>| take(&mut *counter.lock()),
    );
    [
        shared("std Mutex::try_lock", std_spinning),
        shared("parking_lot Mutex::try_lock", parking_lot_spinning),
        shared("parking_lot FairMutex", fair),
    ]
}

fn taken_from_std_mutex(counter: &Mutex<u64>) -> u64 {
    take(&mut *counter.lock().expect("no one panics with it"))
}

fn taken_from_parking_lot_mutex(counter: &PlMutex<u64>) -> u64 {
    take(&mut *counter.lock())
}

fn counter<T: Default + Sync + 'static>(
    layout: Layout,
    threads: Threads,
    times: u64,
    count: fn(&T, u64),
    take: fn(&T) -> u64,
) -> (u64, Body) {
    let body = threads.together(move || {
        let counters: Vec<&'static T> = match layout {
            Layout::Shared => layout::shared(threads.count),
            Layout::Adjacent => layout::adjacent(threads.count),
            Layout::Padded => layout::padded(threads.count),
        };
        let counted_in = counters.clone();
        let work = move |place: usize| {
            count(counted_in[place], times);
            0
        };
        (work, move |_| counters.iter().copied().map(take).sum())
    });
    (times, body)
}

/// Tokio's mutex. It is taken by one task per core, because threads can't
/// wait for it.
fn tokio_mutex() -> Cell {
    let body = Body::task(MULTI_THREAD, || async {
        let counter = Arc::new(TokioMutex::new(0));
        let count = |_| {
            let counter = Arc::clone(&counter);
            tokio::spawn(async move {
                counting::tokio_mutex(&counter, HANDED_OVER).await;
            })
        };
        let tasks: Vec<_> = (0..cores()).map(count).collect();
        for task in tasks {
            task.await.expect("the task does not panic");
        }
        let count = *counter.lock().await;
        count
    });
    let threads =
        Threads { placement: Placement::AllCores, ..Threads::on_all_cores() };
    let body = (HANDED_OVER, body);
    cell("tokio Mutex", Layout::Shared, threads, body)
        .needs(|| room_for_cores(2))
}
