//! Experiments `limits` and `refused`: how many threads or tasks can exist at
//! once, and how many threads each limit allows.

use std::path::Path;

use harness::{Cell, Experiment};
use host::how_many::{limits_on, Kind, Limit, UnitMemory};
use measurement::Source;
use runtimes::std_thread;
use runtimes::tokio::MULTI_THREAD;

use crate::until_refused::{self, Bounds};
use crate::wanted_units::{Units, DEFAULT_STACK, STATES};

/// The number of threads that a run creates if no limit refuses earlier.
const THREADS: u64 = 100_000;

/// The number of tasks that a run creates. Only memory limits it.
const TASKS: u64 = 1_000_000;

/// The maximum memory that a run touches, in bytes: more than
/// [`THREADS`] threads or [`TASKS`] tasks need.
pub(crate) const TOUCHED: u64 = 4 << 30;

/// The limits on threads, given by the ends of their names.
const LIMITS: [&str; 3] =
    ["vm.max_map_count", "kernel.threads-max", "kernel.pid_max"];

/// Returns the experiment `limits`, which counts how many threads and how
/// many tasks can exist at once.
pub(crate) fn experiment(program: &Path) -> Experiment {
    let of_tasks = program.to_owned();
    let tasks = reached(MULTI_THREAD.name(), move || {
        let units = Units::new(MULTI_THREAD.name(), TASKS, STATES[0]);
        units.in_a_process(&of_tasks).map(|_| TASKS)
    });
    Experiment::new("limits", "reached", std_thread::NAME)
        .cell(threads(program))
        .cell(tasks)
}

/// Returns the experiment `refused`, which counts how many threads can exist
/// at once, and how many of them each limit allows.
pub(crate) fn refused(program: &Path) -> Experiment {
    Experiment::new("refused", "reached", std_thread::NAME)
        .cell(threads(program))
        .cells(LIMITS.map(room))
}

/// Returns the benchmark that creates threads until a limit refuses. It stops
/// before it uses up what other programs share.
fn threads(program: &Path) -> Cell {
    let program = program.to_owned();
    reached(std_thread::NAME, move || {
        let bounds = Bounds { most: THREADS, uses_up_shared: false };
        let outcome = until_refused::try_it(&program, Kind::Threads, bounds)?;
        Ok(outcome.reached)
    })
}

/// Returns a benchmark that reports how many threads or tasks existed at
/// once.
fn reached(
    contender: &str,
    count: impl Fn() -> Result<u64, String> + 'static,
) -> Cell {
    let take = move || Ok(vec![count()? as f64]);
    Cell::once(contender, Source::Harness, &["reached"], take)
        .full_only()
        .needs(room_for_memory)
}

/// Returns the benchmark that reports how many threads `limit` allows.
fn room(limit: &'static str) -> Cell {
    let take = move || {
        let room = lowest(limit)?.room().unwrap_or(u64::MAX);
        Ok(vec![room as f64])
    };
    Cell::once(limit, Source::Harness, &["room for threads"], take)
        .full_only()
        // Measures a limit twice to show how much a benchmark differs from
        // itself. Threads would take longer.
        .twinned()
        .needs(move || lowest(limit).map(drop))
}

/// Returns the lowest of the limits whose name ends with `name`.
///
/// # Errors
///
/// If no limit with that name limits this process.
fn lowest(name: &str) -> Result<Limit, String> {
    let memory = UnitMemory { virtual_bytes: DEFAULT_STACK, resident_bytes: 0 };
    let mut limits = limits_on(Kind::Threads, memory).into_iter();
    limits
        .find(|limit| limit.name.ends_with(name) && limit.room().is_some())
        .ok_or_else(|| format!("{name} sets no limit to this process"))
}

/// # Errors
///
/// If less memory than [`TOUCHED`] is available.
fn room_for_memory() -> Result<(), String> {
    let all = UnitMemory { virtual_bytes: 0, resident_bytes: TOUCHED };
    match limits_on(Kind::Tasks, all).into_iter().find(|l| !l.allows(1)) {
        Some(limit) => Err(format!(
            "it may touch {} GiB, and {} does not allow that",
            TOUCHED >> 30,
            limit.name
        )),
        None => Ok(()),
    }
}
