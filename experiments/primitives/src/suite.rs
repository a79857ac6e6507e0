//! Experiment `suite`: what each operation on each primitive costs.
//!
//! The tasks run on Tokio whichever library the primitives come from, so that
//! only the primitives differ.

use harness::{Body, Cell, Counter, Experiment};
use runtimes::tokio::{MULTI_THREAD, ONE_WORKER};
use runtimes::Runtime;
use tokio::runtime::Builder;

use crate::families;
use crate::family::{Operation, Run};
use crate::operations::How;

/// The number of Tokio workers in the published measurement, which ran on
/// eleven cores.
const PUBLISHED_WORKERS: usize = 4;

/// Tokio and smol. The published benchmark compares Tokio with its author's
/// own library. Here, smol takes the place of that library.
const COMPARED: [&str; 2] = ["tokio", "smol"];

pub(crate) fn experiment() -> Experiment {
    let mut cells = Vec::new();
    let mut operations: Vec<&str> = Vec::new();
    for family in families::all() {
        for operation in family.operations {
            let known =
                operations.iter().position(|name| *name == operation.name);
            let place = known.unwrap_or(operations.len());
            if known.is_none() {
                operations.push(operation.name);
            }
            for arm in Arm::ALL
                .into_iter()
                .filter(|arm| arm.is_for(family.name, operation))
            {
                cells.push((
                    (place, arm as usize),
                    cell(family.name, operation, arm),
                ));
            }
        }
    }
    // Sorts the benchmarks so that libraries with the same operation are next
    // to each other in the table.
    cells.sort_by_key(|(place, _)| *place);
    Experiment::new("suite", "time per operation", "tokio")
        .counting(&[Counter::Allocations, Counter::Bytes])
        .cells(cells.into_iter().map(|(_, cell)| cell))
}

/// The default way to measure an operation, and variations that differ from
/// it in one respect.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Arm {
    /// Runs operations in a task on a worker.
    Ours,
    /// Runs operations without a runtime if possible, otherwise from
    /// `block_on` on four workers.
    AsPublished,
    /// Runs operations on one worker, so that no worker wakes another.
    OneWorker,
    /// Runs operations in tasks without Tokio's budget, so that the tasks
    /// aren't forced to yield.
    Unconstrained,
    /// Runs operations on the thread that calls `block_on`, with as many
    /// workers as `Ours`.
    BlockOn,
    /// Measures how long it takes to create and drop an object.
    Construction,
}

impl Arm {
    const ALL: [Arm; 6] = [
        Arm::Ours,
        Arm::AsPublished,
        Arm::OneWorker,
        Arm::Unconstrained,
        Arm::BlockOn,
        Arm::Construction,
    ];

    fn name(self) -> &'static str {
        match self {
            Arm::Ours => "ours",
            Arm::AsPublished => "as published",
            Arm::OneWorker => "one worker",
            Arm::Unconstrained => "unconstrained",
            Arm::BlockOn => "block_on",
            Arm::Construction => "construction",
        }
    }

    fn how(self) -> How {
        match self {
            Arm::AsPublished => How::AsPublished,
            Arm::Unconstrained => How::Unconstrained,
            _ => How::Ours,
        }
    }

    fn is_for(self, family: &str, operation: Operation) -> bool {
        let has_tasks = matches!(operation.run, Run::InTasks(_));
        let makes = matches!(operation.run, Run::Construction(_));
        match self {
            Arm::Construction => makes,
            _ if makes => false,
            Arm::Ours => true,
            Arm::AsPublished => {
                COMPARED.contains(&family)
                    && operation.name != "barrier of four"
            }
            Arm::OneWorker => has_tasks,
            // Only Tokio's primitives use Tokio's budget and interact with
            // its workers.
            Arm::Unconstrained | Arm::BlockOn => has_tasks && family == "tokio",
        }
    }

    fn body(self, run: Run) -> Body {
        let how = self.how();
        match self {
            Arm::Ours | Arm::Unconstrained | Arm::Construction => {
                in_a_task(MULTI_THREAD, run, how)
            }
            Arm::OneWorker => in_a_task(ONE_WORKER, run, how),
            Arm::BlockOn => in_block_on(Builder::new_multi_thread, run, how),
            Arm::AsPublished => match run {
                Run::Here(run) => Body::here(move || move || run(how)),
                _ => in_block_on(published_workers, run, how),
            },
        }
    }

    /// Returns whether a quick run includes this measurement. It includes
    /// most operations of `Ours`, and for Tokio and smol also the operations
    /// whose results aren't obvious.
    fn is_quick(self, family: &str, operation: &str) -> bool {
        let is_compared = COMPARED.contains(&family);
        match self {
            Arm::Ours => {
                is_compared
                    || !matches!(operation, "rwlock write" | "channel recv")
            }
            Arm::OneWorker => is_compared && !operation.starts_with(['r', 's']),
            Arm::Construction => {
                is_compared
                    && !matches!(operation, "mutex" | "rwlock" | "semaphore")
            }
            Arm::AsPublished | Arm::Unconstrained | Arm::BlockOn => false,
        }
    }
}

fn cell(family: &str, operation: Operation, arm: Arm) -> Cell {
    let times = (operation.times)(arm.how());
    let cell = Cell::new(family, times, arm.body(operation.run))
        .per(times)
        .parameter("operation", operation.name)
        .parameter("arm", arm.name())
        .group(operation.kind())
        .in_sweep();
    if arm.is_quick(family, operation.name) {
        cell
    } else {
        cell.full_only()
    }
}

fn in_a_task(runtime: Runtime, run: Run, how: How) -> Body {
    Body::task(runtime, move || run.done(how))
}

fn in_block_on(workers: fn() -> Builder, run: Run, how: How) -> Body {
    let start = move || {
        let runtime = workers().enable_all().build();
        let runtime = runtime.expect("a Tokio runtime can be built");
        move || runtime.block_on(run.done(how))
    };
    Body::here(start).for_each_visit()
}

fn published_workers() -> Builder {
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(PUBLISHED_WORKERS);
    builder
}
