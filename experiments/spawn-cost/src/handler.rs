//! Experiment `handler`: handlers that compute for five milliseconds, and a
//! task on the same runtime that wants to run every millisecond. How late
//! does this task run, and how long do all requests take?

use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::Arc;
use std::time::{Duration, Instant};

use harness::work::{rounds_in, work};
use harness::{Cell, Experiment};
use measurement::Source;
use tokio::runtime::Runtime;
use tokio::task;
use tokio::time::{sleep_until, Instant as TokioInstant};

use crate::listings::handler::on_rayon;
use crate::pools::cores;

const WORK: Duration = Duration::from_millis(5);

/// The number of clients per core, and the number of requests that a client
/// makes, one after the other.
const CLIENTS_PER_CORE: usize = 2;
const REQUESTS: u64 = 25;

/// The interval at which the periodic task should run.
const PERIOD: Duration = Duration::from_millis(1);

pub(crate) fn experiment() -> Experiment {
    Experiment::new("handler", "total time", "tokio multi-thread")
        .cell(cell("tokio multi-thread", |job| async move { job() }))
        .cell(cell("tokio block_in_place", |job| async move {
            task::block_in_place(job)
        }))
        .cell(cell("tokio spawn_blocking", |job| async move {
            task::spawn_blocking(job).await.expect("the job does not panic")
        }))
        .cell(cell("rayon", on_rayon))
}

/// The computation of a request handler. It returns 1, so that the sum of all
/// results is the number of answered requests.
type Job = Box<dyn FnOnce() -> u64 + Send>;

/// Returns the benchmark in which `done` runs the handlers' computations.
fn cell<Done>(contender: &str, done: fn(Job) -> Done) -> Cell
where
    Done: Future<Output = u64> + Send + 'static,
{
    let quantities =
        ["total time", "lateness p50", "lateness p99", "lateness max"];
    let take = move || {
        let runtime = Runtime::new().map_err(|error| error.to_string())?;
        let (total, lateness) = runtime.block_on(async move {
            task::spawn(serve(done)).await.expect("no request panics")
        })?;
        let late = |share: f64| {
            let place = (lateness.len() - 1) as f64 * share;
            lateness[place as usize].as_nanos() as f64
        };
        let total = total.as_nanos() as f64;
        Ok(vec![total, late(0.5), late(0.99), late(1.0)])
    };
    Cell::readings(contender, Source::Harness, &quantities, take)
        .parameter("work_ns", WORK.as_nanos() as i64)
        .parameter("clients_per_core", CLIENTS_PER_CORE as i64)
        .group("all")
}

/// Serves all requests. Returns how long that took, and how late each run of
/// the periodic task was, sorted.
async fn serve<Done>(
    done: fn(Job) -> Done,
) -> Result<(Duration, Vec<Duration>), String>
where
    Done: Future<Output = u64> + Send + 'static,
{
    let rounds = rounds_in(WORK);
    let over = Arc::new(AtomicBool::new(false));
    let other = task::spawn(lateness(Arc::clone(&over)));
    let start = Instant::now();
    let clients = CLIENTS_PER_CORE * cores();
    let client = |_| {
        task::spawn(async move {
            let mut answered = 0;
            for _ in 0..REQUESTS {
                let job = move || {
                    work(rounds);
                    1
                };
                answered += done(Box::new(job)).await;
                // A real handler would also yield here, because it awaits the
                // next request.
                task::yield_now().await;
            }
            answered
        })
    };
    let mut answered = 0;
    for client in (0..clients).map(client).collect::<Vec<_>>() {
        answered += client.await.expect("no request panics");
    }
    let total = start.elapsed();
    over.store(true, Relaxed);
    let lateness = other.await.expect("it does not panic");
    if answered != clients as u64 * REQUESTS {
        return Err(format!("{answered} requests were answered"));
    }
    Ok((total, lateness))
}

/// Wakes up at fixed times, however late the previous wake-up was, until
/// `over` is true. Returns how late each wake-up was, sorted.
async fn lateness(over: Arc<AtomicBool>) -> Vec<Duration> {
    let start = TokioInstant::now();
    let mut late = Vec::new();
    while !over.load(Relaxed) {
        let due = start + PERIOD * (late.len() + 1) as u32;
        sleep_until(due).await;
        late.push(due.elapsed());
    }
    late.sort();
    late
}
