//! Experiment `stuck-driver`: a task sleeps in the kernel during its poll,
//! and all other threads are idle. Another task could run, but what it needs
//! is in the hands of the stuck thread: the readiness of its socket, or the
//! task itself. How long does it take?

use std::time::Duration;

use harness::{room_for_cores, Cell, Experiment};

pub(crate) mod serve;
pub(crate) mod visit;

use crate::executors::WORKERS;
use serve::{Connections, Need, Serve};

/// How long each poll keeps its thread busy.
const HELD: Duration = Duration::from_millis(10);

const WINDOW: Duration = Duration::from_millis(200);

/// How often our executor's monitor checks for stuck threads.
const LOOKS: Duration = Duration::from_millis(1);

pub(crate) fn experiment() -> Experiment {
    let plain = "tokio multi-thread";
    let cells = [Need::Driver, Need::LifoSlot].into_iter().flat_map(|need| {
        [
            cell(plain, serve::on_tokio, need).twinned(),
            cell("smol", serve::on_smol, need),
            cell(OURS, |all| serve::on_ours(Some(LOOKS), all), need)
                .parameter("arm", "ours")
                .parameter("threshold_ns", LOOKS.as_nanos() as i64),
            cell(OURS, |all| serve::on_ours(None, all), need)
                .parameter("arm", "no monitor")
                .full_only(),
            cell("tokio spawn_blocking", serve::on_tokios_pool, need)
                .full_only(),
            cell("tokio block_in_place", serve::on_tokio_in_place, need)
                .full_only(),
        ]
    });
    Experiment::new("stuck-driver", "latency p50", plain).cells(cells)
}

const OURS: &str = "ours noticing";

fn cell(contender: &str, serve: Serve, need: Need) -> Cell {
    let take = move |window| {
        visit::take(need, window, |with, connection| {
            serve(Connections { with, connection, need, held: HELD })
        })
    };
    Cell::window(contender, WINDOW, take)
        .parameter("kernel", need.name())
        .parameter("workers", WORKERS as i64)
        .needs(|| room_for_cores(WORKERS))
}
