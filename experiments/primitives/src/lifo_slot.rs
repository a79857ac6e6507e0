//! Experiment `lifo-slot`: operations in which one task wakes another, on
//! Tokio with and without its LIFO slot.
//!
//! Disabling the slot needs a special build of Tokio, so both cases run in
//! another program, `unstable-tokio`, which times operations itself. Each
//! process of a run has a different build of this program, but the same build
//! of `unstable-tokio`.

use std::time::Duration;

use harness::{unstable_build, Body, Cell, Experiment};

/// The timeout of an operation, which normally takes a millisecond or two.
const PATIENCE: Duration = Duration::from_secs(20);

#[derive(Clone, Copy)]
struct Operation {
    name: &'static str,
    /// The argument that is passed to the other program.
    argument: &'static str,
    times: u64,
}

const OPERATIONS: [Operation; 2] = [
    Operation { name: "mutex contended", argument: "mutex", times: 10_000 },
    Operation {
        name: "channel there and back",
        argument: "channel",
        times: 1_000,
    },
];

/// The option of Tokio's builder that disables the LIFO slot.
const OPTION: &str = "disable_lifo_slot";

pub(crate) fn experiment() -> Experiment {
    let cells = OPERATIONS.into_iter().flat_map(|operation| {
        [cell(operation, "none").twinned(), cell(operation, OPTION)]
    });
    Experiment::new("lifo-slot", "time per operation", "tokio").cells(cells)
}

fn cell(operation: Operation, option: &'static str) -> Cell {
    let body = Body::here(move || {
        let program = unstable_build::start([operation.argument, option]);
        let mut program = program.expect("it is built, and can be started");
        move || {
            // The program reports the duration in nanoseconds, and the number
            // of correct results.
            let (nanoseconds, right) = program
                .ask(&(), PATIENCE)
                .unwrap_or_else(|why| panic!("{why}"));
            (Duration::from_nanos(nanoseconds), right)
        }
    });
    Cell::new("tokio", operation.times, body)
        .per(operation.times)
        .parameter("operation", operation.name)
        .parameter("option", option)
        .parameter("build", "unstable")
        .group(operation.name)
        .needs(|| unstable_build::program().map(drop))
        .time_limit(unstable_build::PATIENCE)
}
