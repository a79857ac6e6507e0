//! Experiment `suite`: what an operation of each primitive costs.
//!
//! Every family's tasks run on Tokio, so that only the primitive differs.

use harness::{Body, Cell, Counter, Experiment};
use runtimes::tokio::MULTI_THREAD;

use crate::families;
use crate::family::{Operation, Run};
use crate::operations::How;

pub(crate) fn experiment() -> Experiment {
    let ours = families::all().into_iter().flat_map(|family| {
        let cell = move |operation: &Operation| {
            cell(
                family.name,
                operation,
                How::Ours,
                "ours",
                on_a_worker(operation.run),
            )
        };
        family.operations.iter().map(cell).collect::<Vec<_>>()
    });
    Experiment::new("suite", "time per operation", "tokio")
        .counting(&[Counter::Allocations, Counter::Bytes])
        .cells(ours)
}

fn cell(
    family: &str,
    operation: &Operation,
    how: How,
    arm: &str,
    body: Body,
) -> Cell {
    let times = (operation.times)(how);
    Cell::new(family, times, body)
        .per(times)
        .parameter("operation", operation.name)
        .parameter("arm", arm)
        .in_sweep()
}

/// In a task of Tokio's.
fn on_a_worker(run: Run) -> Body {
    Body::task(MULTI_THREAD, move || async move {
        match run {
            Run::Here(run) => run(How::Ours),
            Run::InTasks(run) => run(How::Ours).await,
        }
    })
}
