//! Experiment `light-load`: a connection that asks so seldom that one thread is plenty.
//! What does a request take of the processor where there is one thread, where two are
//! always there, and where a second one comes when it is needed?
//!
//! Cells are a star: at the centre 1,000 requests come a second.

use std::time::Duration;

use harness::{room_for_cores, Cell, Experiment};

mod serve;
mod visit;

use serve::{
    on_current_thread, on_multi_thread, on_ours, on_smol, Serve, WORKERS,
};

const WINDOW: Duration = Duration::from_millis(500);

/// Requests a second, on average.
const RATE: i64 = 1_000;
const LOW_RATE: i64 = 100;

/// How often the monitor of our executor looks, in microseconds.
const LOOKS: i64 = 1_000;

pub(crate) fn experiment() -> Experiment {
    let base = "tokio current_thread";
    let at = |rate| {
        [
            cell(base, 1, on_current_thread, rate),
            cell("tokio multi-thread", WORKERS, on_multi_thread, rate)
                .twinned(),
            cell("smol", WORKERS, on_smol, rate),
            ours(on_ours::<LOOKS>, LOOKS, rate),
            // What the monitor costs, and what the second thread does.
            cell(OURS, WORKERS, on_ours::<0>, rate)
                .parameter("arm", "no monitor"),
            cell(OURS, 1, serve::on_one_of_ours, rate)
                .parameter("arm", "one thread"),
        ]
    };
    let looks = [
        ours(on_ours::<{ LOOKS / 10 }>, LOOKS / 10, RATE),
        ours(on_ours::<{ LOOKS * 10 }>, LOOKS * 10, RATE),
    ];
    Experiment::new("light-load", visit::CPU_TIME, base)
        .cells(at(RATE))
        .cells(at(LOW_RATE).map(Cell::full_only))
        .cells(looks.map(Cell::full_only))
}

const OURS: &str = "ours noticing";

/// Our executor, whose monitor looks every so many microseconds.
fn ours(serve: Serve, looks: i64, rate: i64) -> Cell {
    cell(OURS, WORKERS, serve, rate)
        .parameter("arm", "ours")
        .parameter("threshold_ns", looks * 1_000)
}

fn cell(contender: &str, workers: usize, serve: Serve, rate: i64) -> Cell {
    let take = move |window| visit::take(serve, rate as f64, window);
    Cell::window(contender, WINDOW, take)
        .also(&visit::ALSO)
        .parameter("workers", workers as i64)
        .parameter("rate", rate)
        .group(&format!("{rate} a second"))
        .needs(|| room_for_cores(WORKERS))
}
