//! Experiment `locks-with-work`: threads increment a counter under a lock,
//! and do some work between two increments.
//!
//! The amount of work is random, between none and twice the mean, since
//! threads with constant work fall into step and never meet at the lock.
//!
//! An operation consists of the work and the increment. Time per operation:
//! from the first thread's start to the last one's end, divided by the
//! operations of one core. Waiting times are measured separately
//! ([`waiting`]), since reading the clock takes as long as a short wait.

use std::hint::black_box;
use std::mem::take;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, RwLock};

use harness::work::rounds_in;
use harness::{Body, Cell, Counter, Experiment, Placement};
use parking_lot::{FairMutex, Mutex as PlMutex};
use runtimes::tokio::MULTI_THREAD;
use tokio::sync::Mutex as TokioMutex;

use crate::listings::locks::layout::Padded;
use crate::listings::locks::spinning;
use crate::threads::cores;

mod setting;
mod waiting;

use setting::{Setting, Work, CENTRE, LITTLE, MUCH, NOTHING};

pub(crate) fn experiment() -> Experiment {
    let centre = [
        fetch_add(CENTRE),
        std_mutex(CENTRE).twinned(),
        parking_lot_mutex(CENTRE),
        fair_mutex(CENTRE),
        std_rw_lock(CENTRE),
        spinning(CENTRE),
        tokio_mutex(),
    ];
    let [nothing, little, much] = [NOTHING, LITTLE, MUCH].map(Setting::work);
    let [four, eighteen] = [4, 18].map(Setting::threads);
    Experiment::new("locks-with-work", "time per operation", "std Mutex")
        .counting(&[Counter::ContextSwitches, Counter::CpuTime])
        .cells(centre.map(Cell::counted_in_full))
        .cells([fetch_add, std_mutex, parking_lot_mutex].map(|of| of(little)))
        .cells([std_mutex, parking_lot_mutex].map(|of| of(much)))
        .cells([std_mutex, parking_lot_mutex].map(|of| of(four)))
        .cells(each(nothing))
        .cells(each(eighteen))
        .cells(waiting::each(CENTRE))
        .cells(waiting::each(eighteen))
        .cells(waiting::unfair(nothing))
}

/// Returns the contenders that are measured at the highest demand for the
/// lock.
fn each(setting: Setting) -> [Cell; 4] {
    [fetch_add, std_mutex, parking_lot_mutex, fair_mutex].map(|of| of(setting))
}

/// Increments the counter without a lock, to show the cost of an atomic
/// instruction.
fn fetch_add(setting: Setting) -> Cell {
    let add = |counter: &AtomicU64| {
        counter.fetch_add(1, Ordering::Relaxed);
    };
    threads("AtomicU64::fetch_add", setting, add, |counter| {
        counter.swap(0, Ordering::Relaxed)
    })
}

fn std_mutex(setting: Setting) -> Cell {
    let add = |counter: &Mutex<u64>| {
        *counter.lock().expect("no one panics with it") += 1;
    };
    threads("std Mutex", setting, add, |counter| {
        take(&mut *counter.lock().expect("no one panics with it"))
    })
}

fn parking_lot_mutex(setting: Setting) -> Cell {
    let add = |counter: &PlMutex<u64>| *counter.lock() += 1;
    threads("parking_lot Mutex", setting, add, |counter| {
        take(&mut *counter.lock())
    })
}

fn fair_mutex(setting: Setting) -> Cell {
    let add = |counter: &FairMutex<u64>| *counter.lock() += 1;
    threads("parking_lot FairMutex", setting, add, |counter| {
        take(&mut *counter.lock())
    })
}

fn std_rw_lock(setting: Setting) -> Cell {
    let add = |counter: &RwLock<u64>| {
        *counter.write().expect("no one panics with it") += 1;
    };
    threads("std RwLock", setting, add, |counter| {
        take(&mut *counter.write().expect("no one panics with it"))
    })
}

/// parking_lot's mutex, with waiters that spin and never sleep.
fn spinning(setting: Setting) -> Cell {
    let add = |counter: &PlMutex<u64>| *spinning::lock(counter) += 1;
    threads("parking_lot Mutex::try_lock", setting, add, |counter| {
        take(&mut *counter.lock())
    })
}

fn threads<T: Default + Send + Sync + 'static>(
    contender: &str,
    setting: Setting,
    add: impl Fn(&T) + Copy + Send + Sync + 'static,
    take: impl Fn(&T) -> u64 + Copy + Send + Sync + 'static,
) -> Cell {
    let times = setting.times();
    let body = setting.placed().together(move || {
        let counter = Arc::new(Padded(T::default()));
        let counted_in = Arc::clone(&counter);
        let rounds = rounds_in(setting.work);
        let work = move |place: usize| {
            let work = Work::of(place, rounds);
            count(&counted_in.0, times, work, add);
            0
        };
        (work, move |_| take(&counter.0))
    });
    counting(setting, contender, times, body)
}

fn counting(setting: Setting, contender: &str, times: u64, body: Body) -> Cell {
    let all = setting.threads as u64 * times;
    let cell = Cell::new(contender, all, body)
        .per(all / setting.threads.min(cores()) as u64);
    setting.stated(cell, "count")
}

#[inline(never)]
fn count<T>(counter: &T, times: u64, mut work: Work, add: impl Fn(&T)) {
    for _ in 0..times {
        work.once();
        add(black_box(counter));
    }
}

/// Tokio's mutex. It is taken by tasks, because threads can't wait for it.
fn tokio_mutex() -> Cell {
    let times = CENTRE.times();
    let body = Body::task(MULTI_THREAD, move || async move {
        let counter = Arc::new(TokioMutex::new(0));
        let rounds = rounds_in(CENTRE.work);
        let count = |place| {
            let mut work = Work::of(place, rounds);
            let counter = Arc::clone(&counter);
            tokio::spawn(async move {
                for _ in 0..times {
                    work.once();
                    *counter.lock().await += 1;
                }
            })
        };
        let tasks: Vec<_> = (0..CENTRE.threads).map(count).collect();
        for task in tasks {
            task.await.expect("the task does not panic");
        }
        let count = *counter.lock().await;
        count
    });
    let cell = counting(CENTRE, "tokio Mutex", times, body);
    cell.placement(Placement::AllCores)
}
