//! Measures how long threads wait for the lock, and how often each thread
//! gets it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Barrier, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use harness::work::rounds_in;
use harness::{pin_this_thread, Cell, Measurement, Placement};
use hdrhistogram::Histogram;
use measurement::Source;
use parking_lot::{FairMutex, Mutex as PlMutex};

use super::setting::{Setting, Work};

const WINDOW: Duration = Duration::from_millis(300);

const LONGEST: Duration = Duration::from_secs(60);

/// The data behind the lock: the last thread that held it, and how often a
/// thread took the lock twice in a row.
#[derive(Default)]
struct Holder {
    last: usize,
    taken: u64,
    again: u64,
}

impl Holder {
    /// Records thread `place` as the new holder of the lock, and returns the
    /// current time.
    fn taken_by(&mut self, place: usize) -> Instant {
        let since = Instant::now();
        self.taken += 1;
        self.again += u64::from(self.last == place);
        self.last = place;
        since
    }
}

pub(super) fn each(setting: Setting) -> Vec<Cell> {
    let fair =
        |lock: &FairMutex<Holder>, place: usize| lock.lock().taken_by(place);
    let fair =
        cell("parking_lot FairMutex", setting, fair, |lock| lock.into_inner());
    unfair(setting).into_iter().chain([fair]).collect()
}

pub(super) fn unfair(setting: Setting) -> [Cell; 2] {
    let std_mutex = |lock: &Mutex<Holder>, place: usize| {
        lock.lock().expect("no one panics with it").taken_by(place)
    };
    let parking_lot =
        |lock: &PlMutex<Holder>, place: usize| lock.lock().taken_by(place);
    [
        cell("std Mutex", setting, std_mutex, |lock| {
            lock.into_inner().expect("no one panics with it")
        }),
        cell("parking_lot Mutex", setting, parking_lot, PlMutex::into_inner),
    ]
}

fn cell<Lock: Default + Sync + 'static>(
    contender: &str,
    setting: Setting,
    acquire: impl Fn(&Lock, usize) -> Instant + Copy + Sync + 'static,
    holder: impl Fn(Lock) -> Holder + 'static,
) -> Cell {
    let take = move |window| {
        let lock = Lock::default();
        let (elapsed, waits) = waits(&lock, setting, window, acquire)?;
        measured(&waits, &holder(lock), elapsed)
    };
    let cell = Cell::window(contender, WINDOW, take).also(&[
        ("share of acquisitions by the last holder", Source::Counter),
        ("share of acquisitions by the busiest thread", Source::Counter),
    ]);
    setting.stated(cell, "wait")
}

/// Makes all threads alternate between working and taking the lock, for the
/// duration `window`. Returns the elapsed time, and one histogram of waiting
/// times per thread, in nanoseconds.
fn waits<Lock: Sync>(
    lock: &Lock,
    setting: Setting,
    window: Duration,
    acquire: impl Fn(&Lock, usize) -> Instant + Copy + Sync,
) -> Result<(Duration, Vec<Histogram<u64>>), String> {
    let rounds = rounds_in(setting.work);
    let (all_there, over) =
        (Barrier::new(setting.threads + 1), AtomicBool::new(false));
    let take_turns = |place: usize| {
        let pinned = match setting.placed().placement {
            Placement::Neighbours => pin_this_thread(place),
            _ => Ok(()),
        };
        let mut work = Work::of(place, rounds);
        let longest = LONGEST.as_nanos() as u64;
        let mut waits =
            Histogram::new_with_bounds(1, longest, 3).expect("three digits");
        all_there.wait();
        while !over.load(Ordering::Relaxed) {
            work.once();
            let asked = Instant::now();
            let waited = acquire(lock, place) - asked;
            waits.saturating_record(waited.as_nanos() as u64);
        }
        pinned.map(|()| waits)
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..setting.threads)
            .map(|place| scope.spawn(move || take_turns(place)))
            .collect();
        all_there.wait();
        let began = Instant::now();
        thread::sleep(window);
        over.store(true, Ordering::Relaxed);
        let elapsed = began.elapsed();
        let waits = threads
            .into_iter()
            .map(|thread| thread.join().expect("it does not panic"))
            .collect::<Result<Vec<_>, String>>()?;
        Ok((elapsed, waits))
    })
}

fn measured(
    waits: &[Histogram<u64>],
    holder: &Holder,
    elapsed: Duration,
) -> Result<Measurement, String> {
    let mut all = Histogram::new(3).expect("three digits");
    for of_thread in waits {
        all.add(of_thread).map_err(|error| error.to_string())?;
    }
    let taken = holder.taken;
    if all.len() != taken {
        return Err(format!("taken {taken} times, waited for {}", all.len()));
    }
    let busiest = waits.iter().map(Histogram::len).max().unwrap_or_default();
    let share = |part: u64| part as f64 / taken as f64;
    Ok(Measurement {
        answered: taken,
        elapsed,
        latencies: Some(all),
        also: vec![share(holder.again), share(busiest)],
        ..Measurement::default()
    })
}
