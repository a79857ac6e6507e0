//! A chapter used only by tests. Its benchmarks misbehave.

mod readings;
mod threads;
mod windows;

use std::fs;
use std::io::Read;
use std::process::{self, Command};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, available_parallelism};
use std::time::Duration;

use harness::{Body, Cell, Chapter, Counter, Experiment, Spinners};
use runtimes::tokio::MULTI_THREAD;

use crate::recorded::recorded_cells;

const ANSWER: u64 = 42;

/// The size of a vector in [`readings::fitted`], in bytes.
pub(crate) const VECTOR: usize = 16 << 10;

pub(crate) fn chapter() -> Chapter {
    let experiments = [
        behaving,
        misbehaving,
        threads::tasks,
        counted,
        threads::placed,
        readings::read,
        readings::parts,
        threads::staged,
        readings::beyond,
        windows::served,
        readings::apart,
        readings::fitted,
        threads::together,
        recorded_cells,
    ];
    let experiments = experiments.map(|experiment| experiment()).into();
    Chapter::new("harness", env!("CARGO_MANIFEST_DIR"), experiments)
}

type Operation = fn() -> u64;

fn cell(name: &str, answer: u64, operation: Operation) -> Cell {
    Cell::new(name, answer, Body::here(move || operation))
}

/// Returns how often this process has already reached this point in the code.
macro_rules! passed {
    () => {{
        static PASSED: AtomicU64 = AtomicU64::new(0);
        PASSED.fetch_add(1, Ordering::Relaxed)
    }};
}
use passed;

fn behaving() -> Experiment {
    let tokio = Body::task(MULTI_THREAD, || async { ANSWER });
    Experiment::new("behaving", "time per operation", "sleeps")
        .cell(cell("sleeps", ANSWER, || {
            thread::sleep(Duration::from_micros(200));
            ANSWER
        }))
        .cell(Cell::new("tokio", ANSWER, tokio).parameter("arm", "ours").per(2))
        .cell(cell("only in full", ANSWER, || ANSWER).full_only())
}

fn misbehaving() -> Experiment {
    let cells: [(&str, Operation); 6] = [
        ("panics", || panic!("out of cheese")),
        ("aborts", || process::abort()),
        ("hangs", || hang()),
        ("is wrong", || 41),
        ("is wrong at times", || ANSWER - u64::from(passed!() == 2)),
        ("is killed later", || {
            thread::sleep(Duration::from_millis(1));
            if passed!() == 30 {
                let id = process::id().to_string();
                drop(Command::new("kill").args(["-9", &id]).status());
            }
            ANSWER
        }),
    ];
    let limit = Duration::from_secs(2);
    let cells =
        cells.map(|(name, of)| cell(name, ANSWER, of).time_limit(limit));
    Experiment::new("misbehaving", "time per operation", "panics").cells(cells)
}

fn counted() -> Experiment {
    let allocates = || {
        let parts = [(); 3].map(|()| Vec::<u8>::with_capacity(100));
        std::hint::black_box(&parts).len() as u64
    };
    let sleeps = || {
        thread::sleep(Duration::from_micros(100));
        1
    };
    // Each thread reads a file. The system calls of these reads are counted
    // as well.
    let reads = || {
        let read = || fs::File::open("/dev/zero")?.read(&mut [0; 8]);
        let threads = [(); 3].map(|()| thread::spawn(read));
        let bytes = threads.map(|thread| thread.join().expect("it reads"));
        bytes.map(|bytes| bytes.unwrap_or(0) as u64).iter().sum()
    };
    let dies = || {
        assert_eq!(harness::allocations::counted(), (0, 0), "counted");
        1
    };
    Experiment::new("counted", "time per operation", "allocates")
        .counting(&[
            Counter::Allocations,
            Counter::Bytes,
            Counter::ContextSwitches,
            Counter::SystemCalls,
            Counter::ReadCalls,
            Counter::FutexCalls,
        ])
        .cell(cell("allocates", 3, allocates))
        .cell(cell("allocates in parts", 3, allocates).per(3))
        .cell(cell("dies of counting", 1, dies))
        .cell(cell("waits", 1, sleeps))
        .cell(cell("reads files", 24, reads))
        .cell(cell("is left out", 1, sleeps).uncounted())
        .cell(cell("is for full", 1, sleeps).counted_in_full())
        .cell(cell("in company", cores(), spinners).beside(Spinners::Idle))
}

fn hang() -> ! {
    loop {
        thread::park();
    }
}

fn cores() -> u64 {
    available_parallelism().map_or(1, usize::from) as u64
}

/// Returns the number of processes that this process has started. All of them
/// are spinners.
fn spinners() -> u64 {
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten();
    let children = threads.flatten().map(|thread| {
        let ids = fs::read_to_string(thread.path().join("children"));
        ids.unwrap_or_default().split_whitespace().count() as u64
    });
    children.sum()
}
