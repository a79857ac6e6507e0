//! The experiment for `--units`: the centre of the experiment `units`, with
//! the requested number of units.

use harness::{room_for_threads, Body, Cell, Experiment, Placement};
use runtimes::rayon::on_a_worker;
use runtimes::tokio::{CURRENT_THREAD, MULTI_THREAD};
use runtimes::{std_thread, Runtime};

use crate::listings;

pub(crate) fn experiment(units: u64) -> Experiment {
    let threads = Body::here(move || {
        move || listings::std_thread::create_and_collect(units)
    });
    let jobs = Body::inside(on_a_worker, move || {
        listings::rayon::create_and_collect(units)
    });
    let cell = |contender, body| {
        // 0 + 1 + ... + (units - 1)
        Cell::new(contender, units * (units - 1) / 2, body)
            .per(units)
            .parameter("units", units as i64)
            .placement(Placement::AllCores)
    };
    let tasks = |runtime: Runtime| {
        let create =
            move || listings::tokio_multi_thread::create_and_collect(units);
        cell(runtime.name(), Body::task(runtime, create))
    };
    Experiment::new("units", "time per unit", std_thread::NAME).cells([
        cell(std_thread::NAME, threads).needs(move || room_for_threads(units)),
        cell(runtimes::rayon::NAME, jobs),
        tasks(MULTI_THREAD),
        tasks(CURRENT_THREAD),
    ])
}
