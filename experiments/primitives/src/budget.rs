//! Experiment `budget`: the effect of Tokio's budget on locks that are never
//! held across an `await`.
//!
//! A task that has done 128 Tokio operations yields. If the next operation is
//! a lock, the task takes the lock first (tokio 1.54,
//! `sync/batch_semaphore.rs`), so it yields while holding the lock. Without
//! the budget, on one worker, no task would ever find the lock taken.

use harness::{Body, Cell, Experiment};
use runtimes::tokio::ONE_WORKER;

use crate::families;
use crate::family::Run;
use crate::operations::How;

/// The library whose primitives use Tokio's budget.
const FAMILY: &str = "tokio";

pub(crate) fn experiment() -> Experiment {
    let tokio = families::all().into_iter().filter(|of| of.name == FAMILY);
    let operations = tokio.flat_map(|family| family.operations);
    let contended = operations.filter(|operation| {
        matches!(operation.run, Run::InTasks(_))
            && operation.name.ends_with("contended")
    });
    let cells = contended.flat_map(|operation| {
        [("ours", How::Ours), ("unconstrained", How::Unconstrained)].map(
            |(arm, how)| {
                let body =
                    Body::task(ONE_WORKER, move || operation.run.done(how));
                let times = (operation.times)(how);
                Cell::new(FAMILY, times, body)
                    .per(times)
                    .parameter("operation", operation.name)
                    .parameter("workers", 1)
                    .parameter("arm", arm)
                    .in_sweep()
            },
        )
    });
    Experiment::new("budget", "time per operation", FAMILY).cells(cells)
}
