//! Experiment `lifo-slot`: operations in which one task wakes another, on Tokio with its LIFO slot and without.
//!
//! The slot goes only in a build of Tokio's own, so both are another program, `unstable-tokio`, which says how long
//! an operation took by its own clock. Each process of a run has another link of this program, but not of that one.

use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;
use std::time::Duration;

use harness::helper::Helper;
use harness::{unstable_build, Body, Cell, Experiment};

/// How long an operation may take, which is a millisecond or two.
const PATIENCE: Duration = Duration::from_secs(20);

/// A started program, which is asked for one operation after the other: it says how many nanoseconds that took, and
/// how much of it was right.
type Program = Helper<(), (u64, u64)>;

static BUILT: LazyLock<Result<PathBuf, String>> =
    LazyLock::new(|| unstable_build::program("unstable-tokio"));

#[derive(Clone, Copy)]
struct Operation {
    name: &'static str,
    /// The program's argument.
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

/// What Tokio's builder is told, beside `none`.
const OPTION: &str = "disable_lifo_slot";

pub(crate) fn experiment() -> Experiment {
    let cells = OPERATIONS.into_iter().flat_map(|operation| {
        [cell(operation, "none").twinned(), cell(operation, OPTION)]
    });
    Experiment::new("lifo-slot", "time per operation", "tokio").cells(cells)
}

fn cell(operation: Operation, option: &'static str) -> Cell {
    let body = Body::here(move || {
        let mut program =
            start(operation, option).expect("it is built, and can be started");
        move || {
            let said = program.ask(&(), PATIENCE);
            let (nanoseconds, right) =
                said.unwrap_or_else(|why| panic!("{why}"));
            (Duration::from_nanos(nanoseconds), right)
        }
    });
    Cell::new("tokio", operation.times, body)
        .per(operation.times)
        .parameter("operation", operation.name)
        .parameter("option", option)
        .parameter("build", "unstable")
        .group(operation.name)
        .needs(|| BUILT.clone().map(drop))
        .time_limit(unstable_build::PATIENCE)
}

fn start(operation: Operation, option: &str) -> Result<Program, String> {
    let mut command = Command::new(BUILT.clone()?);
    command.args([operation.argument, option]);
    Helper::spawn(command)
}
