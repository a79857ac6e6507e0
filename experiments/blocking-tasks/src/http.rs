//! Experiment `http`: what our executor's monitor costs a server under full
//! load, and how the executor compares with others.

use std::time::Duration;

use harness::{room_for_cores, Cell, Experiment};

mod serve;
mod visit;

use crate::executors::WORKERS;
use serve::{
    on_current_thread, on_multi_thread, on_smol, unwatched, watched, Serve,
    CONNECTIONS, LOOKS,
};

const WINDOW: Duration = Duration::from_millis(250);

pub(crate) fn experiment() -> Experiment {
    let baseline = "tokio multi-thread";
    let ours = "ours noticing";
    let threshold = LOOKS.as_nanos() as i64;
    Experiment::new("http", "throughput", baseline).cells([
        cell(baseline, WORKERS, on_multi_thread),
        cell("tokio current_thread", 1, on_current_thread).full_only(),
        cell("smol", WORKERS, on_smol).full_only(),
        cell(ours, WORKERS, watched)
            .parameter("arm", "ours")
            .parameter("threshold_ns", threshold),
        cell(ours, WORKERS, unwatched).parameter("arm", "no monitor").twinned(),
    ])
}

fn cell(contender: &str, workers: usize, serve: Serve) -> Cell {
    let take = move |window| visit::take(serve, window, WINDOW);
    Cell::window(contender, WINDOW, take)
        .parameter("workers", workers as i64)
        .parameter("connections", CONNECTIONS as i64)
        .parameter("placement", "shared")
        .group("all")
        .needs(|| room_for_cores(WORKERS))
}
