//! Experiment `steps`: what each step on the way to our executor costs, and
//! what it gains.

use std::time::Duration;

use harness::work::rounds_in;
use harness::{Body, Cell, Counter, Experiment};
use schedulers::steps::{parking, queue, reactor};
use schedulers::Policy;

mod executors;
mod kernels;

use executors::{Executor, Ours, Sockets, Stealing, Tokio};
use kernels::{sum_below, COMPUTING, LAPS, RING, TRIPS, UNITS};

/// How long each task computes in the program `computing`.
const COMPUTES: Duration = Duration::from_micros(20);

pub(crate) fn experiment() -> Experiment {
    let ours = Policy::ALL.map(|policy| (policy.contender(), policy));
    let tokio = [Tokio::CURRENT_THREAD, Tokio::MULTI_THREAD];
    Experiment::new("steps", "time per operation", "queue")
        .counting(&[Counter::CpuTime, Counter::ContextSwitches])
        .cells(tasks("queue", queue::Executor::new))
        .cells(tasks("parking", parking::Executor::new))
        .cells(sockets("reactor", || {
            reactor::Executor::new().expect("there are descriptors")
        }))
        .cells(sockets("stealing", || Stealing))
        .cells(ours.into_iter().flat_map(|(name, policy)| {
            sockets(name, move || Ours::new(policy)).map(Cell::full_only)
        }))
        .cells(tokio.into_iter().flat_map(|tokio| {
            let start = move || tokio.clone();
            sockets(start().name(), start).map(Cell::full_only)
        }))
}

/// Creates the benchmarks that need only tasks, for one executor.
fn tasks<E: Executor>(
    contender: &'static str,
    start: impl Fn() -> E + Clone + 'static,
) -> [Cell; 4] {
    let rounds = move || rounds_in(COMPUTES);
    [
        cell(
            contender,
            "spawn",
            (UNITS, sum_below(UNITS)),
            &start,
            |executor: &E| executor.run(kernels::spawn(executor.clone())),
        ),
        cell(
            contender,
            "ring",
            (LAPS * RING, sum_below(LAPS)),
            &start,
            |executor: &E| executor.run(kernels::ring(executor.clone())),
        ),
        cell(
            contender,
            "from outside",
            (TRIPS, sum_below(TRIPS)),
            &start,
            |executor: &E| {
                executor.run(kernels::from_outside(executor.clone()))
            },
        ),
        cell(
            contender,
            "computing",
            (COMPUTING, sum_below(COMPUTING)),
            &start,
            move |executor: &E| {
                executor.run(kernels::computing(executor.clone(), rounds()))
            },
        )
        .full_only(),
    ]
}

/// Creates all benchmarks of an executor that has sockets: those that need
/// only tasks, and one that needs sockets.
fn sockets<E: Sockets>(
    contender: &'static str,
    start: impl Fn() -> E + Clone + 'static,
) -> impl Iterator<Item = Cell> {
    let echo = cell(
        contender,
        "echo",
        (TRIPS, sum_below(TRIPS)),
        &start,
        |executor: &E| executor.run(kernels::echo(executor.clone())),
    );
    tasks(contender, start).into_iter().chain([echo.full_only()])
}

/// Creates a benchmark that runs one of the small programs. `per` is the
/// number of units per operation, and `answer` the expected answer. Each
/// process starts the executor only once.
fn cell<E: Executor>(
    contender: &str,
    kernel: &str,
    (per, answer): (u64, u64),
    start: &(impl Fn() -> E + Clone + 'static),
    run: impl Fn(&E) -> (Duration, u64) + Copy + 'static,
) -> Cell {
    let start = start.clone();
    let body = Body::here(move || {
        let executor = start();
        move || run(&executor)
    });
    Cell::new(contender, answer, body).per(per).parameter("kernel", kernel)
}
