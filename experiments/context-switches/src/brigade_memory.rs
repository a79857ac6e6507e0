//! Experiment `brigade-memory`: the memory that each thread or task in the
//! line of experiment `brigade` adds to its process. As in the published
//! measurement, each of them has passed bytes on and waits for the next one.
//! (In the chapter on memory, they wait at a gate.)
//!
//! Expected beforehand, and claimed on the page about published figures once
//! there are rows: a task takes between 205 and 819 bytes over socket pairs,
//! a thread between 4,864 and 19,456, a factor of two around the published
//! figures.
//!
//! Each point is one more line in the same process, so that nothing is freed
//! in between. There are ten times as many tasks as threads, as in the
//! published measurement.

use harness::{room_for_files, room_for_threads, Cell, Experiment};
use host::memory::ProcessMemory;
use measurement::Source;
use runtimes::std_thread;
use runtimes::tokio::MULTI_THREAD;
use tokio::runtime::Runtime;

use crate::brigade::channel_lines;
use crate::listings::brigade as over_sockets;
use crate::listings::brigade::tokio_channel;

const QUANTITY: &str = "resident memory per unit";

/// The number of lines in a process, which are created one after the other.
const LINES: u64 = 5;

/// The number of threads per line, and the number of tasks per line.
const THREADS: u64 = 100;
const TASKS: u64 = 1_000;

/// The number of bytes that pass through each line before the memory of the
/// process is read.
const ROUNDS: u64 = 10;

pub(crate) fn experiment() -> Experiment {
    let cells = [
        threads("socketpair", || {
            lines(THREADS, || {
                let line = over_sockets::std_thread::Line::new(THREADS, |_| ());
                let mut line = line.map_err(|error| error.to_string())?;
                for _ in 0..ROUNDS {
                    check(THREADS, line.pass(0).ok())?;
                }
                Ok(line)
            })
        })
        .needs(|| room_for_files(2 * LINES * (THREADS + 1))),
        threads("channel", || {
            lines(THREADS, || {
                let mut line = channel_lines::std_thread::Line::new(THREADS);
                for _ in 0..ROUNDS {
                    check(THREADS, line.pass(0))?;
                }
                Ok(line)
            })
        }),
        tasks("socketpair", || {
            let runtime = Runtime::new().map_err(|error| error.to_string())?;
            lines(TASKS, || {
                runtime.block_on(async {
                    let line = over_sockets::tokio::Line::new(TASKS);
                    let mut line = line.map_err(|error| error.to_string())?;
                    for _ in 0..ROUNDS {
                        check(TASKS, line.pass(0).await.ok())?;
                    }
                    Ok(line)
                })
            })
        })
        .needs(|| room_for_files(2 * LINES * (TASKS + 1))),
        tasks("channel", || {
            let runtime = Runtime::new().map_err(|error| error.to_string())?;
            lines(TASKS, || {
                runtime.block_on(async {
                    let mut line = tokio_channel::Line::new(TASKS);
                    for _ in 0..ROUNDS {
                        check(TASKS, line.pass(0).await)?;
                    }
                    Ok(line)
                })
            })
        }),
    ];
    Experiment::new("brigade-memory", QUANTITY, std_thread::NAME).cells(cells)
}

type Points = Result<Vec<(f64, f64)>, String>;

/// Creates one line after the other, and never frees them. Returns one point
/// per line: the number of units so far, and the resident memory of the
/// process.
fn lines<Line>(units: u64, line: impl Fn() -> Result<Line, String>) -> Points {
    let mut kept = Vec::new();
    let point = |count: u64| {
        kept.push(line()?);
        let resident = ProcessMemory::now()?.resident_bytes;
        Ok(((count * units) as f64, resident as f64))
    };
    let points = (1..=LINES).map(point).collect();
    std::mem::forget(kept);
    points
}

/// Checks that each of the `units` threads or tasks in a line has added one
/// to the byte.
fn check(units: u64, passed: Option<u8>) -> Result<(), String> {
    match passed {
        Some(byte) if u64::from(byte) == units % 256 => Ok(()),
        other => Err(format!("{units} units made {other:?} of a 0")),
    }
}

fn threads(transport: &str, take: fn() -> Points) -> Cell {
    cell(std_thread::NAME, transport, take)
        .needs(|| room_for_threads(LINES * THREADS))
}

fn tasks(transport: &str, take: fn() -> Points) -> Cell {
    cell(MULTI_THREAD.name(), transport, take)
}

fn cell(contender: &str, transport: &str, take: fn() -> Points) -> Cell {
    Cell::fitted(contender, Source::Harness, QUANTITY, take)
        .parameter("transport", transport)
        .parameter("arm", "as published")
}
