//! Experiment `price`: the price of being able to give up on a request that
//! is answered in time.
//!
//! Client and server are tasks on one worker, so each wakes the other without
//! the kernel. A request can't wait for its answer more cheaply.

use harness::{Body, Cell, Counter, Experiment, Placement};
use runtimes::tokio::ONE_WORKER;

mod service;
mod thread_pair;
mod ways;

use service::{OverSocket, Ready, Service, ToTask};
use thread_pair::ThreadPair;
use ways::{Others, Setting};

/// The number of requests that are timed together.
const REQUESTS: u64 = 100;

/// The runtime's other timers in most benchmarks. All are due before the
/// timers of the requests.
const SOME: Others = Others { pending: 1_000, due_after: false };

pub(crate) fn experiment() -> Experiment {
    let others = |pending| Others { pending, due_after: false };
    let after = Others { due_after: true, ..SOME };
    Experiment::new("price", "time per request", "baseline")
        .counting(&[Counter::Allocations, Counter::Bytes, Counter::SystemCalls])
        .cells([
            baseline::<ToTask>(SOME),
            timeout::<ToTask>(SOME).twinned(),
            sleep_reset::<ToTask>(SOME),
            select::<ToTask>(SOME),
            select_biased::<ToTask>(SOME),
            child_token::<ToTask>(SOME),
        ])
        .cells([0, 1, 100_000].map(others).into_iter().flat_map(|others| {
            [baseline::<ToTask>(others), timeout::<ToTask>(others)]
                .map(Cell::full_only)
        }))
        .cells(
            [baseline::<ToTask>(after), timeout::<ToTask>(after)]
                .map(Cell::full_only),
        )
        .cells([baseline::<Ready>(SOME), timeout::<Ready>(SOME)])
        .cells([
            baseline::<OverSocket>(SOME),
            timeout::<OverSocket>(SOME),
            sleep_reset::<OverSocket>(SOME).full_only(),
        ])
        .cells([
            thread_pair("baseline", false).full_only(),
            thread_pair("read deadline", true).full_only(),
        ])
}

/// Defines one function per way of sending a request. Each returns a
/// benchmark that sends requests to a service of the type `S`.
macro_rules! cells {
    ($($way:ident: $contender:literal,)*) => { $(
        fn $way<S: Service>(others: Others) -> Cell {
            let body = Body::task_with(
                ONE_WORKER,
                move || Setting::<S>::new(others),
                |setting| ways::$way(setting, REQUESTS),
                Setting::end,
            );
            cell($contender, S::NAME, others, body)
        }
    )* };
}

cells! {
    baseline: "baseline",
    timeout: "timeout",
    sleep_reset: "Sleep reset",
    select: "select",
    select_biased: "select biased",
    child_token: "child_token",
}

/// Returns a benchmark in which two blocking threads exchange requests and
/// answers. The only timers are the kernel's.
fn thread_pair(contender: &str, has_deadline: bool) -> Cell {
    let body = Body::here(move || {
        let mut pair = ThreadPair::new(has_deadline);
        move || pair.ask(REQUESTS)
    });
    let others = Others { pending: 0, due_after: false };
    cell(contender, "blocking socket", others, body.for_each_visit())
}

fn cell(contender: &str, kernel: &str, others: Others, body: Body) -> Cell {
    let due = if others.due_after { "after" } else { "before" };
    Cell::new(contender, (0..REQUESTS).sum(), body)
        .per(REQUESTS)
        .parameter("kernel", kernel)
        .parameter("pending", others.pending as i64)
        .parameter("due", due)
        .placement(Placement::OneCore)
}
