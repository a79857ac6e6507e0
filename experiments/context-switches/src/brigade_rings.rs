//! Experiment `brigade-rings`: the line of tasks from experiment `brigade`,
//! on one core, with Monoio and compio. Their io_uring instances are set up
//! in three ways. An operation sends a byte through the whole line. The time
//! is per hop.

use harness::{room_for_files, Body, Cell, Experiment, Placement};
use runtimes::compio::{COOPERATIVE, DEFAULT, DEFERRED};
use runtimes::monoio::{IO_URING, IO_URING_COOPERATIVE, IO_URING_DEFERRED};
use runtimes::LocalRuntime;

use crate::listings::brigade::{compio, monoio};

/// The number of tasks in the line of the published benchmark.
const UNITS: u64 = 500;

/// The panic messages of a line that can't be created or used. If one task
/// fails, the whole line is broken.
const STANDS: &str = "the line can be set up";
const WHOLE: &str = "the line is not broken";

/// Creates the body of a benchmark with one line of tasks on a runtime.
macro_rules! line {
    ($runtime:expr, $module:ident) => {
        Body::task_with(
            $runtime,
            || async { $module::Line::new(UNITS).expect(STANDS) },
            |mut line| async move {
                let byte = line.pass(0).await.expect(WHOLE);
                (line, byte.into())
            },
            |line| async move {
                // An error can be ignored here: a failed task would already
                // have broken the line.
                let _ = line.end().await;
            },
        )
    };
}

pub(crate) fn experiment() -> Experiment {
    let on_monoio = [
        (DEFAULTS, IO_URING),
        ("cooperative", IO_URING_COOPERATIVE),
        ("deferred", IO_URING_DEFERRED),
    ];
    let on_monoio = on_monoio.map(|(set_up, runtime)| {
        cell(IO_URING, set_up, runtime, line!(runtime, monoio))
    });
    let on_compio = [
        (DEFAULTS, DEFAULT),
        ("cooperative", COOPERATIVE),
        ("deferred", DEFERRED),
    ];
    let on_compio = on_compio.map(|(set_up, runtime)| {
        cell(DEFAULT, set_up, runtime, line!(runtime, compio)).full_only()
    });
    Experiment::new("brigade-rings", "time per hop", IO_URING.name())
        .cells(on_monoio)
        .cells(on_compio)
}

const DEFAULTS: &str = "defaults";

fn cell(
    contender: LocalRuntime,
    set_up: &str,
    runtime: LocalRuntime,
    body: Body,
) -> Cell {
    let cell = Cell::new(contender.name(), UNITS % 256, body)
        .per(UNITS + 1)
        .parameter("units", UNITS as i64)
        .parameter("set_up", set_up)
        .placement(Placement::OneCore)
        .group("all")
        .needs(|| room_for_files(2 * (UNITS + 1)))
        .needs(move || runtime.start());
    if set_up == DEFAULTS {
        cell.twinned()
    } else {
        cell
    }
}
