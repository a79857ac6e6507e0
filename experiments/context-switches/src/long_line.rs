//! Experiment `long-line`: the line of experiment `brigade` with 50,000
//! threads or tasks. The author of the published benchmark also used this
//! length.
//!
//! With socket pairs, a line takes two descriptors per unit, which many
//! machines don't allow for this many units. Channels stay in the process, so
//! only memory limits the number of tasks; a thread still needs a stack, and
//! mappings. The central setting is one core.

use std::io;

use harness::{
    room_for_files, room_for_threads, tokio_started_on, Body, Cell, Experiment,
    Held, Placement,
};
use runtimes::std_thread;
use runtimes::tokio::MULTI_THREAD;

use crate::brigade::channel_lines;
use crate::listings::brigade as over_sockets;
use crate::listings::brigade::tokio_channel;

/// The number of threads or tasks in the line of the published benchmark.
const PUBLISHED: u64 = 50_000;

/// Two further lengths of a line: one that a line of threads also reaches on
/// most machines, and the length of the line in `brigade`.
const REACHED: u64 = 20_000;
const SHORT: u64 = 500;

const PLACEMENT: Placement = Placement::OneCore;

/// The panic messages of a line that can't be created or used. If one thread
/// or task fails, the whole line is broken.
const STANDS: &str = "the line can be set up";
const WHOLE: &str = "the line is not broken";

pub(crate) fn experiment() -> Experiment {
    let [short_threads, short_tasks] = by_channel(SHORT);
    let [threads, tasks] = by_channel(PUBLISHED);
    Experiment::new("long-line", "time per hop", std_thread::NAME)
        .cells([short_threads, short_tasks, tasks])
        .cell(threads.full_only())
        .cells(by_channel(REACHED).map(Cell::full_only))
        .cells(by_socket(PUBLISHED).map(Cell::full_only))
}

/// Creates two benchmarks for lines over channels: one with threads, one with
/// tasks on Tokio's multi-thread runtime.
fn by_channel(units: u64) -> [Cell; 2] {
    let threads = line_of_threads(
        move || Ok(channel_lines::std_thread::Line::new(units)),
        |line| line.pass(0).expect(WHOLE),
        |line| line.end().expect(WHOLE),
    );
    let tasks = Body::task_with(
        tokio_started_on(PLACEMENT),
        move || async move { tokio_channel::Line::new(units) },
        |mut line: tokio_channel::Line| async move {
            let byte = line.pass(0).await.expect(WHOLE);
            (line, byte.into())
        },
        |line| async move {
            // An error can be ignored here: a failed task would already have
            // broken the line.
            let _ = line.end().await;
        },
    );
    cells("channel", units, [threads, tasks])
}

fn by_socket(units: u64) -> [Cell; 2] {
    let threads = line_of_threads(
        move || over_sockets::std_thread::Line::new(units, |_| ()),
        |line| line.pass(0).expect(WHOLE),
        |line| line.end().expect(WHOLE),
    );
    let tasks = Body::task_with(
        tokio_started_on(PLACEMENT),
        move || async move { over_sockets::tokio::Line::new(units).expect(STANDS) },
        |mut line: over_sockets::tokio::Line| async move {
            let byte = line.pass(0).await.expect(WHOLE);
            (line, byte.into())
        },
        |line| async move {
            let _ = line.end().await;
        },
    );
    let both = cells("socketpair", units, [threads, tasks]);
    both.map(|cell| cell.needs(move || room_for_files(2 * (units + 1))))
}

/// Creates the body of a benchmark with a line of threads. Each visit (a
/// batch of samples in one process) sets up a line, and ends it afterwards.
fn line_of_threads<Line: 'static>(
    new: impl Fn() -> io::Result<Line> + 'static,
    pass: impl Fn(&mut Line) -> u8 + Copy + 'static,
    end: impl Fn(Line) + Copy + 'static,
) -> Body {
    let start = move || {
        let mut line = Held::new(new().expect(STANDS), end);
        move || u64::from(pass(&mut line))
    };
    Body::here(start).for_each_visit()
}

fn cells(
    transport: &str,
    units: u64,
    [threads, tasks]: [Body; 2],
) -> [Cell; 2] {
    // The expected answer is the byte at the end of the line, to which every
    // thread or task has added one.
    let cell = |contender, body| {
        Cell::new(contender, units % 256, body)
            .per(units + 1)
            .parameter("units", units as i64)
            .parameter("in_flight", 1)
            .parameter("transport", transport)
            .parameter("arm", "ours")
            .placement(PLACEMENT)
    };
    [
        cell(std_thread::NAME, threads)
            .needs(move || room_for_threads(units + 1)),
        cell(MULTI_THREAD.name(), tasks),
    ]
}
