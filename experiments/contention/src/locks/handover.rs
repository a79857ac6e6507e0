//! Counts how often a lock passes from one thread to another.

use std::sync::{Arc, Barrier, Mutex};
use std::thread;

use harness::{pin_this_thread, room_for_cores, Cell};
use measurement::Source;
use parking_lot::{FairMutex, Mutex as PlMutex};
use tokio::runtime::Runtime;
use tokio::sync::Mutex as TokioMutex;

use super::counting::{HANDED_OVER, TIMES};
use crate::listings::locks::spinning;
use crate::threads::{cores, Threads};

/// The data behind the lock: the thread that held it last, and the number of
/// times that the lock has passed from one thread to another.
#[derive(Default)]
struct Holder {
    last: usize,
    taken: u64,
    handed_over: u64,
}

impl Holder {
    fn taken_by(&mut self, place: usize) {
        self.taken += 1;
        self.handed_over += u64::from(self.last != place);
        self.last = place;
    }

    /// Returns the fraction of acquisitions that passed the lock to another
    /// thread, or an error if some acquisitions weren't counted.
    fn share(&self, acquisitions: u64) -> Result<Vec<f64>, String> {
        if self.taken == acquisitions {
            Ok(vec![self.handed_over as f64 / acquisitions as f64])
        } else {
            Err(format!("taken {} times, not {acquisitions}", self.taken))
        }
    }
}

pub(super) fn cells() -> [Cell; 5] {
    let std_mutex = |lock: &Mutex<Holder>, place: usize| {
        lock.lock().expect("no one panics with it").taken_by(place);
    };
    let parking_lot =
        |lock: &PlMutex<Holder>, place: usize| lock.lock().taken_by(place);
    let spinning = |lock: &PlMutex<Holder>, place: usize| {
        spinning::lock(lock).taken_by(place);
    };
    let fair =
        |lock: &FairMutex<Holder>, place: usize| lock.lock().taken_by(place);
    [
        cell("std Mutex", move || {
            let lock = in_threads(TIMES, std_mutex);
            let holder = lock.into_inner().expect("no one panics with it");
            holder.share(acquisitions(TIMES))
        }),
        cell("parking_lot Mutex", move || {
            let holder = in_threads(TIMES, parking_lot).into_inner();
            holder.share(acquisitions(TIMES))
        }),
        cell("parking_lot Mutex::try_lock", move || {
            let holder = in_threads(TIMES, spinning).into_inner();
            holder.share(acquisitions(TIMES))
        }),
        cell("parking_lot FairMutex", move || {
            let holder = in_threads(HANDED_OVER, fair).into_inner();
            holder.share(acquisitions(HANDED_OVER))
        }),
        cell("tokio Mutex", || {
            in_tasks(HANDED_OVER).share(acquisitions(HANDED_OVER))
        }),
    ]
}

fn cell(
    contender: &str,
    take: impl Fn() -> Result<Vec<f64>, String> + 'static,
) -> Cell {
    Cell::readings(contender, Source::Counter, &["share"], take)
        .parameter("kernel", "handover")
        .parameter("layout", "shared")
        .parameter("cores", "all")
        .placement(Threads::on_all_cores().placement)
        .needs(|| room_for_cores(2))
}

fn acquisitions(times: u64) -> u64 {
    times * cores() as u64
}

fn in_threads<Lock: Default + Sync>(
    times: u64,
    take: impl Fn(&Lock, usize) + Sync,
) -> Lock {
    let (lock, all_there) = (Lock::default(), Barrier::new(cores()));
    thread::scope(|scope| {
        for place in 0..cores() {
            let (lock, take, all_there) = (&lock, &take, &all_there);
            scope.spawn(move || {
                pin_this_thread(place).expect("there is room for cores");
                all_there.wait();
                (0..times).for_each(|_| take(lock, place));
            });
        }
    });
    lock
}

fn in_tasks(times: u64) -> Holder {
    let runtime = Runtime::new().expect("a Tokio runtime can be built");
    let lock = Arc::new(TokioMutex::new(Holder::default()));
    let task = |place| {
        let lock = Arc::clone(&lock);
        runtime.spawn(async move {
            for _ in 0..times {
                lock.lock().await.taken_by(place);
            }
        })
    };
    let tasks: Vec<_> = (0..cores()).map(task).collect();
    for task in tasks {
        runtime.block_on(task).expect("the task does not panic");
    }
    let lock = Arc::into_inner(lock).expect("the tasks are over");
    lock.into_inner()
}
