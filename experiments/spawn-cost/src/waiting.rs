//! Experiment `waiting`: threads and tasks that only wait, for a timer or for
//! an answer from a socket.

use std::time::{Duration, Instant};

#[cfg(target_os = "linux")]
use harness::room_for_files;
use harness::{room_for_threads, Base, Body, Cell, Experiment};
use measurement::Source;
use runtimes::compio::DEFAULT as COMPIO;
use runtimes::glommio::UNBOUND as GLOMMIO;
use runtimes::monoio::{EPOLL, IO_URING};
use runtimes::smol::GLOBAL as SMOL;
use runtimes::std_thread;
use runtimes::tokio::{CURRENT_THREAD, MULTI_THREAD};

use crate::listings::tokio_as_published;

#[cfg(target_os = "linux")]
pub mod requests;
pub mod sleep;
#[cfg(target_os = "linux")]
pub mod socket;

/// How long a thread or task waits: the published time.
const WAIT: Duration = Duration::from_millis(10);

/// The number of threads or tasks that wait at once: the published number,
/// and ten times as many.
const UNITS: u64 = 1_000;
const MANY: u64 = 10_000;

pub(crate) fn experiment() -> Experiment {
    Experiment::new("waiting", "total time", std_thread::NAME)
        .cells(sleeping(UNITS))
        .cells(many_sleeping())
        .cells(published())
        .cells(asking(UNITS))
}

fn cell(contender: &str, kernel: &str, units: u64, body: Body) -> Cell {
    let cell = Cell::new(contender, (0..units).sum(), body);
    described(cell, kernel, units)
}

/// Returns the benchmark of `units` threads, whose `operation` times itself.
/// Ten thousand threads take too long for criterion's sampling, so they are
/// timed once per process.
fn threads(
    kernel: &str,
    units: u64,
    operation: fn(u64) -> (Duration, u64),
) -> Cell {
    let contender = std_thread::NAME;
    let once = move || {
        let (took, sum) = operation(units);
        let expected: u64 = (0..units).sum();
        if sum == expected {
            Ok(vec![took.as_secs_f64() * 1e9])
        } else {
            Err(format!("{sum}, not {expected}"))
        }
    };
    let cell = match units {
        UNITS => {
            let body = Body::here(move || move || operation(units));
            Cell::new(contender, (0..units).sum(), body)
        }
        _ => {
            let quantities = ["total time"];
            Cell::readings(contender, Source::Harness, &quantities, once)
        }
    };
    described(cell, kernel, units).needs(move || room_for_threads(units))
}

/// Adds the parameters. Quick runs omit a benchmark that has more threads or
/// tasks than the published one.
fn described(cell: Cell, kernel: &str, units: u64) -> Cell {
    let cell = cell
        .beyond(Base::Known { time: WAIT, per: units }, "time per unit")
        .parameter("kernel", kernel)
        .parameter("units", units as i64)
        .parameter("arm", "ours")
        .in_sweep();
    match units {
        UNITS => cell,
        _ => cell.full_only(),
    }
}

fn sleep_in_threads(units: u64) -> (Duration, u64) {
    let start = Instant::now();
    let sum = sleep::threads(units, WAIT);
    (start.elapsed(), sum)
}

/// Returns benchmarks with ten times as many sleepers, as threads and as
/// tasks.
fn many_sleeping() -> [Cell; 2] {
    let tasks = || sleep::tokio_tasks(MANY, WAIT);
    [
        threads("sleep", MANY, sleep_in_threads),
        cell(
            MULTI_THREAD.name(),
            "sleep",
            MANY,
            Body::task(MULTI_THREAD, tasks),
        ),
    ]
}

fn sleeping(units: u64) -> Vec<Cell> {
    let cell = |contender, body| cell(contender, "sleep", units, body);
    // Times a single wait, whatever `units` is. This shows the time that the
    // kernel's timer adds.
    let once = move || {
        std::thread::sleep(WAIT);
        (0..units).sum::<u64>()
    };
    macro_rules! tasks {
        ($runtime:expr, $sleepers:ident) => {{
            let operation = move || sleep::$sleepers(units, WAIT);
            cell($runtime.name(), Body::task($runtime, operation))
        }};
    }
    #[cfg(target_os = "linux")]
    let glommio = tasks!(GLOMMIO, glommio_tasks);
    // On systems other than Linux, starting Glommio fails with the reason why
    // it can't run.
    #[cfg(not(target_os = "linux"))]
    let glommio =
        cell(GLOMMIO.name(), Body::task(GLOMMIO, || std::future::ready(0)));
    vec![
        cell("baseline", Body::here(move || once)).full_only(),
        threads("sleep", units, sleep_in_threads),
        tasks!(MULTI_THREAD, tokio_tasks),
        tasks!(CURRENT_THREAD, tokio_tasks).full_only(),
        tasks!(SMOL, smol_tasks).full_only(),
        tasks!(EPOLL, monoio_tasks).full_only(),
        tasks!(IO_URING, monoio_tasks).full_only(),
        glommio.full_only(),
        tasks!(COMPIO, compio_tasks).full_only(),
    ]
}

#[cfg(target_os = "linux")]
fn ask_in_threads(units: u64) -> (Duration, u64) {
    socket::timed(units, WAIT, requests::std_thread::request_on_each)
}

#[cfg(target_os = "linux")]
fn asking(units: u64) -> Vec<Cell> {
    let cell = |contender, body| cell(contender, "socket", units, body);
    // Each runtime uses its own type of sockets.
    macro_rules! tasks {
        ($runtime:expr, $requests:ident) => {{
            let request_on_each = requests::$requests::request_on_each;
            let operation =
                move || socket::timed_in_a_task(units, WAIT, request_on_each);
            cell($runtime.name(), Body::task($runtime, operation))
        }};
    }
    let one_thread = requests::one_thread::request_on_each;
    let one_thread = move || socket::timed(units, WAIT, one_thread);
    let cells = [
        cell("baseline", Body::here(move || one_thread)).full_only(),
        threads("socket", units, ask_in_threads),
        tasks!(MULTI_THREAD, tokio),
        tasks!(CURRENT_THREAD, tokio).full_only(),
        tasks!(SMOL, smol).full_only(),
        tasks!(EPOLL, monoio).full_only(),
        tasks!(IO_URING, monoio).full_only(),
        tasks!(GLOMMIO, glommio).full_only(),
        tasks!(COMPIO, compio).full_only(),
    ];
    let with_files = |cell: Cell| cell.needs(move || room_for_files(units));
    cells.into_iter().map(with_files).collect()
}

#[cfg(not(target_os = "linux"))]
fn asking(units: u64) -> [Cell; 1] {
    let elsewhere = || Err("its server runs on Linux only".to_owned());
    let body = Body::here(|| || 0_u64);
    [cell(std_thread::NAME, "socket", units, body).needs(elsewhere)]
}

/// The published measurement `spawning.mostly-waiting`: threads as in our
/// version, and tasks in a `JoinSet` on the thread that calls `block_on`.
fn published() -> [Cell; 2] {
    let units = UNITS;
    let tasks = Body::here(move || {
        let runtime = tokio_as_published::runtime();
        move || sleep::as_published(&runtime, units, WAIT)
    });
    [
        threads("sleep", units, sleep_in_threads),
        cell(MULTI_THREAD.name(), "sleep", units, tasks),
    ]
    .map(|cell| cell.parameter("arm", "as published").full_only())
}
