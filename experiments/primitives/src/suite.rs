//! Experiment `suite`: what an operation of each primitive costs.
//!
//! Every family's tasks run on Tokio, so that only the primitive differs.

use harness::{Body, Cell, Counter, Experiment};
use runtimes::tokio::{MULTI_THREAD, ONE_WORKER};
use runtimes::Runtime;
use tokio::runtime::Builder;

use crate::families;
use crate::family::{Operation, Run};
use crate::operations::How;

/// How many workers the source has, on eleven cores.
const PUBLISHED_WORKERS: usize = 4;

/// Those that the source compares with an implementation of its own, and those that stand for that here.
const AS_PUBLISHED: [&str; 2] = ["tokio", "smol"];

/// It has no operation but these and what follows of them.
const OURS_ONLY: &str = "barrier of four";

pub(crate) fn experiment() -> Experiment {
    let cells = families::all().into_iter().flat_map(|family| {
        let operations = family.operations.into_iter();
        operations.flat_map(move |operation| arms(family.name, operation))
    });
    Experiment::new("suite", "time per operation", "tokio")
        .counting(&[Counter::Allocations, Counter::Bytes])
        .cells(cells)
}

/// The arms of an operation: one factor at a time.
fn arms(family: &'static str, operation: Operation) -> Vec<Cell> {
    let cell = |how, arm, body| cell(family, operation, how, arm, body);
    let run = operation.run;
    if let Run::Construction(_) = run {
        return vec![cell(
            How::Ours,
            "construction",
            in_a_task(MULTI_THREAD, run),
        )];
    }
    let mut cells = vec![cell(How::Ours, "ours", in_a_task(MULTI_THREAD, run))];
    if AS_PUBLISHED.contains(&family) && operation.name != OURS_ONLY {
        cells.push(cell(How::AsPublished, "as published", published(run)));
    }
    if matches!(run, Run::InTasks(_)) {
        cells.push(cell(How::Ours, "one worker", in_a_task(ONE_WORKER, run)));
        if family == "tokio" {
            cells.push(cell(How::Ours, "block_on", in_block_on(run)));
        }
    }
    cells
}

fn cell(
    family: &str,
    operation: Operation,
    how: How,
    arm: &str,
    body: Body,
) -> Cell {
    let times = (operation.times)(how);
    let cell = Cell::new(family, times, body)
        .per(times)
        .parameter("operation", operation.name)
        .parameter("arm", arm)
        .group(operation.kind())
        .in_sweep();
    if in_quick(family, operation.name, arm) {
        cell
    } else {
        cell.full_only()
    }
}

/// What a quick run has time for: ours, and of Tokio and its counterpart what is not plain without measuring.
fn in_quick(family: &str, operation: &str, arm: &str) -> bool {
    let is_compared = AS_PUBLISHED.contains(&family);
    match arm {
        "ours" => {
            is_compared || !matches!(operation, "rwlock write" | "channel recv")
        }
        "construction" => {
            is_compared
                && !matches!(operation, "mutex" | "rwlock" | "semaphore")
        }
        "one worker" => is_compared && !operation.starts_with(['r', 's']),
        _ => false,
    }
}

/// In a task on a worker.
fn in_a_task(runtime: Runtime, run: Run) -> Body {
    Body::task(runtime, move || async move {
        match run {
            Run::Here(run) | Run::Construction(run) => run(How::Ours),
            Run::InATask(run) | Run::InTasks(run) => run(How::Ours).await,
        }
    })
}

/// Without a runtime where that is possible, and else from `block_on`.
fn published(run: Run) -> Body {
    match run {
        Run::Here(run) | Run::Construction(run) => {
            Body::here(move || move || run(How::AsPublished))
        }
        Run::InATask(run) | Run::InTasks(run) => {
            let start = move || {
                let mut builder = Builder::new_multi_thread();
                let runtime = builder
                    .worker_threads(PUBLISHED_WORKERS)
                    .enable_all()
                    .build();
                let runtime = runtime.expect("a Tokio runtime can be built");
                move || runtime.block_on(run(How::AsPublished))
            };
            Body::here(start).for_each_visit()
        }
    }
}

/// From the thread of `block_on`, on as many workers as ours has.
fn in_block_on(run: Run) -> Body {
    let start = move || {
        let runtime = tokio::runtime::Runtime::new()
            .expect("a Tokio runtime can be built");
        move || match run {
            Run::Here(run) | Run::Construction(run) => run(How::Ours),
            Run::InATask(run) | Run::InTasks(run) => {
                runtime.block_on(run(How::Ours))
            }
        }
    };
    Body::here(start).for_each_visit()
}
