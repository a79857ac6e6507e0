//! Experiment `readers`: all cores read settings, which one core occasionally
//! changes.
//!
//! Every core has a thread, and all do the same number of operations. The
//! first thread only reads, writes once in a hundred operations, or always
//! writes, depending on the parameter `writes`; the others read. Time per
//! operation: from the first thread's start to the last one's end, divided by
//! the operations per thread.

use std::sync::{Arc, RwLock};

use harness::{room_for_cores, Body, Cell, Experiment, Placement};
use runtimes::tokio::MULTI_THREAD;

use crate::listings::readers::std_rw_lock;
use crate::threads::{cores, Threads};

pub mod locks;

use locks::{
    own, parking_lot_mutex, parking_lot_rw_lock, std_mutex, tokio_rw_lock,
};
use std_rw_lock::Settings;

/// The number of operations per thread. Tasks that wait for each other do
/// fewer operations, because they are slower.
const OPERATIONS: u64 = 20_000;
const OF_TASKS: u64 = 2_000;

/// How often the first thread writes. All other threads only read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Writes {
    None,
    OneInAHundred,
    All,
}

impl Writes {
    const EACH: [Writes; 3] =
        [Writes::None, Writes::OneInAHundred, Writes::All];

    fn name(self) -> &'static str {
        match self {
            Writes::None => "none",
            Writes::OneInAHundred => "1 in 100",
            Writes::All => "all",
        }
    }

    fn writes(self, place: usize, operation: u64) -> bool {
        place == 0
            && match self {
                Writes::None => false,
                Writes::OneInAHundred => operation.is_multiple_of(100),
                Writes::All => true,
            }
    }
}

pub(crate) fn experiment() -> Experiment {
    Experiment::new("readers", "time per operation", "std Mutex")
        .cells(Writes::EACH.into_iter().flat_map(cells))
        .cell(cell("baseline", Writes::None, OPERATIONS, copies()))
}

/// Creates a benchmark whose result is the number of correct operations. A
/// read is correct if all settings have the same version.
fn cell(contender: &str, writes: Writes, operations: u64, body: Body) -> Cell {
    Cell::new(contender, cores() as u64 * operations, body)
        .per(operations)
        .parameter("writes", writes.name())
        .parameter("cores", "all")
        .placement(Threads::on_all_cores().placement)
        .group(&format!("writes={}", writes.name()))
        .in_sweep()
}

fn cells(writes: Writes) -> [Cell; 5] {
    let cell = |contender, body| cell(contender, writes, OPERATIONS, body);
    [
        cell("std Mutex", behind(writes, std_mutex::read, std_mutex::write)),
        cell(
            "std RwLock",
            behind::<RwLock<Settings>>(
                writes,
                std_rw_lock::read,
                std_rw_lock::write,
            ),
        ),
        cell(
            "parking_lot Mutex",
            behind(writes, parking_lot_mutex::read, parking_lot_mutex::write),
        )
        .full_only(),
        cell(
            "parking_lot RwLock",
            behind(
                writes,
                parking_lot_rw_lock::read,
                parking_lot_rw_lock::write,
            ),
        ),
        in_tasks(writes),
    ]
}

fn behind<Lock: Default + Send + Sync + 'static>(
    writes: Writes,
    read: fn(&Lock) -> bool,
    write: fn(&Lock),
) -> Body {
    Threads::on_all_cores().together(move || {
        let lock = Lock::default();
        let work = move |place: usize| {
            let operation = |operation: u64| {
                if writes.writes(place, operation) {
                    write(&lock);
                    1
                } else {
                    u64::from(read(&lock))
                }
            };
            (0..OPERATIONS).map(operation).sum()
        };
        (work, |sum| sum)
    })
}

/// Makes each thread read its own copy of the settings, without a lock.
fn copies() -> Body {
    Threads::on_all_cores().together(|| {
        let work = |_: usize| {
            let settings = Settings::default();
            let read = |_| u64::from(own::read(&settings));
            (0..OPERATIONS).map(read).sum()
        };
        (work, |sum| sum)
    })
}

/// Runs one task per core instead of one thread per core.
fn in_tasks(writes: Writes) -> Cell {
    let body = Body::task(MULTI_THREAD, move || async move {
        let lock = Arc::new(tokio::sync::RwLock::new(Settings::default()));
        let task = |place| {
            let lock = Arc::clone(&lock);
            tokio::spawn(async move {
                let mut right = 0;
                for operation in 0..OF_TASKS {
                    right += if writes.writes(place, operation) {
                        tokio_rw_lock::write(&lock).await;
                        1
                    } else {
                        u64::from(tokio_rw_lock::read(&lock).await)
                    };
                }
                right
            })
        };
        let tasks: Vec<_> = (0..cores()).map(task).collect();
        let mut right = 0;
        for task in tasks {
            right += task.await.expect("the task does not panic");
        }
        right
    });
    let cell = cell("tokio RwLock", writes, OF_TASKS, body);
    cell.placement(Placement::AllCores).needs(|| room_for_cores(2))
}
