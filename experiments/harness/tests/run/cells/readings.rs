//! Test benchmarks that report figures of their own instead of being timed,
//! or with figures that are computed from those of other benchmarks.

use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use harness::{Base, Body, Cell, Experiment};
use host::memory::ProcessMemory;
use measurement::Source::{Harness, Histogram};

use super::{cell, hang, ANSWER, VECTOR};

pub(crate) fn read() -> Experiment {
    let cell = |name, take: fn() -> Result<Vec<f64>, String>| {
        let quantities = ["latency p50", "latency p99"];
        Cell::readings(name, Histogram, &quantities, take)
    };
    let beyond = cell("reads beyond", || Ok(vec![10.0, f64::INFINITY]));
    let needs = cell("needs", || unreachable!("it is asked first"));
    Experiment::new("read", "latency p50", "reads")
        .cell(cell("reads", || Ok(vec![10.0, 20.0])))
        .cell(cell("reads half", || Ok(vec![10.0])))
        .cell(cell("reads infinity", || Ok(vec![10.0, f64::INFINITY])))
        .cell(beyond.infinite_means("it is more than all cheese"))
        .cell(cell("refuses", || Err("no cheese".to_owned())))
        .cell(needs.needs(|| Err("a cheese shop is needed".to_owned())))
}

/// Benchmarks that take readings in separate processes, where they may do
/// anything. For comparison, other benchmarks share a process with timed
/// ones.
pub(crate) fn apart() -> Experiment {
    /// How often the benchmark `leaks` has left a thread behind in this
    /// process.
    static LEFT: AtomicU64 = AtomicU64::new(0);
    let id = || u64::from(process::id());
    // Makes up a time from the process id. It has at most four digits, so
    // rounding doesn't change it.
    let time = move || Duration::from_nanos(id() % 10_000 + 1);
    let in_one = Body::here(move || move || (time(), ANSWER));
    let once = |name, take: fn() -> Result<Vec<f64>, String>| {
        Cell::once(name, Harness, &["reached"], take)
    };
    let hangs = once("hangs apart", || hang());
    Experiment::new("apart", "total time", "in one process")
        .cell(Cell::new("in one process", ANSWER, in_one))
        .cell(Cell::once(
            "on its own",
            Harness,
            &["reached", "moves per process"],
            move || Ok(vec![(id() / 10_000) as f64, (id() % 10_000) as f64]),
        ))
        .cell(once("leaks", || {
            thread::spawn(|| loop {
                std::hint::spin_loop();
            });
            Ok(vec![LEFT.fetch_add(1, Ordering::Relaxed) as f64])
        }))
        .cell(Cell::readings("finds", Harness, &["reached"], || {
            Ok(vec![LEFT.load(Ordering::Relaxed) as f64])
        }))
        .cell(once("aborts apart", || process::abort()))
        .cell(hangs.time_limit(Duration::from_millis(300)))
}

/// A benchmark of the memory that each unit adds to a process.
pub(crate) fn fitted() -> Experiment {
    type Points = Result<Vec<(f64, f64)>, String>;
    let quantity = "resident memory per unit";
    let cell = |name, take: fn() -> Points| {
        Cell::fitted(name, Harness, quantity, take)
    };
    Experiment::new("fitted", quantity, "vectors")
        .cell(cell("vectors", || {
            let mut units = Vec::new();
            let point = |count| {
                units.resize_with(count, || vec![1_u8; VECTOR]);
                let held = std::hint::black_box(&units).len();
                Ok((held as f64, ProcessMemory::now()?.resident_bytes as f64))
            };
            [500, 1000, 2000].into_iter().map(point).collect()
        }))
        .cell(cell("two points", || Ok(vec![(1.0, 5.0), (2.0, 7.0)])))
        .cell(cell("falls", || Ok(vec![(1.0, 9.0), (2.0, 7.0), (3.0, 5.0)])))
}

/// A benchmark that times only a part of its operation, and one whose
/// operation includes a known wait.
pub(crate) fn parts() -> Experiment {
    const WAIT: Duration = Duration::from_micros(500);
    const KNOWN: Base = Base::Known { time: WAIT, per: 10 };
    let part = Body::here(|| || (Duration::from_nanos(4_000), ANSWER));
    let waits = cell("waits", ANSWER, || {
        thread::sleep(WAIT);
        ANSWER
    });
    let reads = Cell::readings("reads", Harness, &["total time"], || {
        Ok(vec![500_700.0])
    });
    Experiment::new("parts", "total time", "waits")
        .cell(
            Cell::new("spawns", ANSWER, part).per(4).quantity("time to spawn"),
        )
        .cell(waits.beyond(KNOWN, "time per unit"))
        .cell(reads.beyond(KNOWN, "time per unit"))
}

/// Benchmarks that report by how much their time exceeds a baseline's.
pub(crate) fn beyond() -> Experiment {
    let cell = |name, arm: &str, units: i64, own| {
        let time = Duration::from_nanos(own);
        Cell::new(name, ANSWER, Body::here(move || move || (time, ANSWER)))
            .parameter("arm", arm)
            .parameter("units", units)
    };
    let beyond = |name, arm, units, own| {
        let cell = cell(name, arm, units, own);
        cell.beyond(Base::Baseline, "time per switch")
    };
    Experiment::new("beyond", "time per hop", "baseline")
        .cell(cell("baseline", "ours", 1, 5_000))
        .cell(beyond("slower", "ours", 1, 7_000))
        .cell(beyond("slower", "another", 1, 9_000).in_sweep())
        .cell(beyond("faster", "ours", 1, 4_000))
        .cell(beyond("without", "ours", 2, 4_000))
}
