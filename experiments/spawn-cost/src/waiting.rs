//! Experiment `waiting`: units that do nothing but wait, for a timer or for an
//! answer from a socket.

use std::time::{Duration, Instant};

use harness::{
    room_for_threads, Body, Cell, Executor, Experiment, LocalExecutor,
};
use measurement::Source;

use crate::tokio_as_published;

pub mod sleep;
#[cfg(target_os = "linux")]
pub mod socket;
#[cfg(not(target_os = "linux"))]
mod socket {
    use super::*;

    pub(super) fn cells(units: u64) -> [Cell; 1] {
        let elsewhere = || Err("its server runs on Linux only".to_owned());
        let body = Body::here(|| || 0);
        [cell("std::thread", "socket", units, body).needs(elsewhere)]
    }
}

/// How long a unit waits, as published.
const WAIT: Duration = Duration::from_millis(10);

/// How many at once: as published, and ten times as many.
const COUNTS: [u64; 2] = [1_000, 10_000];
const PUBLISHED: u64 = COUNTS[0];

const MULTI_THREAD: Executor = Executor::TokioMultiThread;
const CURRENT_THREAD: Executor = Executor::TokioCurrentThread;
const SMOL: Executor = Executor::Smol;

pub(crate) fn experiment() -> Experiment {
    Experiment::new("waiting", "total time", "std::thread")
        .cells(COUNTS.into_iter().flat_map(sleeping))
        .cells(published())
        .cells(COUNTS.into_iter().flat_map(socket::cells))
}

fn cell(contender: &str, kernel: &str, units: u64, body: Body) -> Cell {
    let cell = Cell::new(contender, (0..units).sum(), body);
    described(cell, kernel, units)
}

/// Threads, whose operation times itself. Ten thousand of them take too long
/// for visits of criterion's: they are timed once in each process.
fn threads(
    kernel: &str,
    units: u64,
    operation: fn(u64) -> (Duration, u64),
) -> Cell {
    let contender = "std::thread";
    let once = move || {
        let (took, sum) = operation(units);
        let expected: u64 = (0..units).sum();
        match sum == expected {
            true => Ok(vec![took.as_secs_f64() * 1e9]),
            false => Err(format!("{sum}, not {expected}")),
        }
    };
    let cell = match units {
        PUBLISHED => {
            let body = Body::self_timed(move || move || operation(units));
            Cell::new(contender, (0..units).sum(), body)
        }
        _ => {
            let quantities = ["total time"];
            Cell::readings(contender, Source::Harness, &quantities, once)
        }
    };
    described(cell, kernel, units).needs(move || room_for_threads(units))
}

/// States the setting. Quick has what the published measurement compares.
fn described(cell: Cell, kernel: &str, units: u64) -> Cell {
    let cell = cell
        .beyond(WAIT, "time per unit", units)
        .parameter("kernel", kernel)
        .parameter("units", units as i64)
        .parameter("arm", "ours")
        .in_sweep();
    match units {
        PUBLISHED => cell,
        _ => cell.full_only(),
    }
}

/// Threads that sleep.
fn sleep_in_threads(units: u64) -> (Duration, u64) {
    let start = Instant::now();
    let sum = sleep::std_thread::sleep_and_collect(units, WAIT);
    (start.elapsed(), sum)
}

fn sleeping(units: u64) -> Vec<Cell> {
    let cell = |contender, body| cell(contender, "sleep", units, body);
    // One wait, whatever the units: what the kernel's timer adds to it.
    let once = move || {
        std::thread::sleep(WAIT);
        (0..units).sum()
    };
    let tokio = move || sleep::tokio::sleep_and_collect(units, WAIT);
    let smol = move || sleep::smol::sleep_and_collect(units, WAIT);
    let task = |executor: Executor| {
        cell(executor.contender(), Body::task(executor, tokio))
    };
    let monoio = |executor: LocalExecutor| {
        let operation = move || sleep::monoio::sleep_and_collect(units, WAIT);
        cell(executor.contender(), Body::local_task(executor, operation))
    };
    let compio = Body::local_task(LocalExecutor::Compio, move || {
        sleep::compio::sleep_and_collect(units, WAIT)
    });
    #[cfg(target_os = "linux")]
    let glommio = move || sleep::glommio::sleep_and_collect(units, WAIT);
    // It says itself that it cannot run.
    #[cfg(not(target_os = "linux"))]
    let glommio = || std::future::ready(0);
    let glommio = Body::local_task(LocalExecutor::Glommio, glommio);
    vec![
        cell("baseline", Body::here(move || once)).full_only(),
        threads("sleep", units, sleep_in_threads),
        task(MULTI_THREAD),
        task(CURRENT_THREAD).full_only(),
        cell(SMOL.contender(), Body::task(SMOL, smol)).full_only(),
        monoio(LocalExecutor::MonoioEpoll).full_only(),
        monoio(LocalExecutor::MonoioIoUring).full_only(),
        cell(LocalExecutor::Glommio.contender(), glommio).full_only(),
        cell(LocalExecutor::Compio.contender(), compio).full_only(),
    ]
}

/// `spawning.mostly-waiting` as it was published: threads as in ours, tasks in
/// a `JoinSet` from the thread of `block_on`.
fn published() -> [Cell; 2] {
    let units = PUBLISHED;
    let tasks = Body::here(move || {
        let runtime = tokio_as_published::runtime();
        move || sleep::as_published::sleep_and_collect(&runtime, units, WAIT)
    });
    [
        threads("sleep", units, sleep_in_threads),
        cell(MULTI_THREAD.contender(), "sleep", units, tasks),
    ]
    .map(|cell| cell.parameter("arm", "as published").full_only())
}
