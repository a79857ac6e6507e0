//! Experiment `limits`: how many units there can be at once.

use std::path::Path;

use harness::{Cell, Experiment};
use host::how_many::{limits_on, Kind, UnitMemory};
use measurement::Source;
use runtimes::smol::GLOBAL as SMOL;
use runtimes::std_thread;
use runtimes::tokio::MULTI_THREAD;

use crate::until_refused::{self, Bounds};
use crate::wanted_units::{Units, STATES};

/// How many threads there are at most, if nothing refuses before.
const THREADS: u64 = 100_000;

/// How many tasks: nothing but memory refuses them.
const TASKS: u64 = 1_000_000;

/// What is touched at most: more than as many tasks, or threads, need.
const TOUCHED: u64 = 4 << 30;

/// The experiment. Threads stop short of what other programs share.
pub(crate) fn experiment(program: &Path) -> Experiment {
    let tasks = [MULTI_THREAD, SMOL].map(|runtime| {
        let program = program.to_owned();
        reached(runtime.name(), move || {
            let units = Units::new(runtime.name(), TASKS, STATES[0]);
            units.in_a_process(&program).map(|_| TASKS)
        })
    });
    let program = program.to_owned();
    let threads = reached(std_thread::NAME, move || {
        let bounds = Bounds { most: THREADS, uses_up_shared: false };
        let outcome = until_refused::try_it(&program, Kind::Threads, bounds)?;
        Ok(outcome.reached)
    });
    Experiment::new("limits", "reached", std_thread::NAME)
        .cell(threads)
        .cells(tasks)
}

/// How many were there at once.
fn reached(
    contender: &str,
    count: impl Fn() -> Result<u64, String> + 'static,
) -> Cell {
    let take = move || Ok(vec![count()? as f64]);
    Cell::once(contender, Source::Harness, &["reached"], take)
        .full_only()
        .needs(room_for_memory)
}

/// # Errors
///
/// If less than [`TOUCHED`] can be had.
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
