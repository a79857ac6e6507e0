//! Experiment `crowd`: the price of a timeout around each of many concurrent
//! requests, all of which are answered in time.

use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::Duration;

use harness::{Body, Cell, Counter, Experiment, Placement};
use runtimes::tokio::{MULTI_THREAD, ONE_WORKER};
use runtimes::Runtime;
use tokio::sync::oneshot;
use tokio::task::{yield_now, JoinSet};
use tokio::time::timeout;

const LIMIT: Duration = Duration::from_secs(30);

pub(crate) fn experiment() -> Experiment {
    let pair = |units, workers| {
        [cell("baseline", units, workers), cell("timeout", units, workers)]
    };
    Experiment::new("crowd", "time per request", "baseline")
        .counting(&[Counter::Allocations, Counter::Bytes])
        .cells(pair(1_000, 1))
        .cells(pair(100_000, 1).map(Cell::full_only))
        .cells(pair(100_000, 2).map(Cell::full_only))
}

fn cell(contender: &'static str, units: u64, workers: i64) -> Cell {
    let (on, placement): (Runtime, _) = match workers {
        1 => (ONE_WORKER, Placement::OneCore),
        _ => (MULTI_THREAD, Placement::AllCores),
    };
    let body = Body::task(on, move || async move {
        match contender {
            "baseline" => all_answered(units, ask).await,
            _ => all_answered(units, ask_in_time).await,
        }
    });
    Cell::new(contender, (0..units).sum(), body)
        .per(units)
        .parameter("units", units as i64)
        .parameter("workers", workers)
        .placement(placement)
        .needs(move || harness::room_for_cores(workers as usize))
}

struct Request {
    answered: oneshot::Receiver<u64>,
    waiting: Arc<AtomicU64>,
}

async fn ask(request: Request) -> u64 {
    request.waiting.fetch_add(1, Ordering::Release);
    request.answered.await.expect("it is answered")
}

async fn ask_in_time(request: Request) -> u64 {
    request.waiting.fetch_add(1, Ordering::Release);
    let answer = timeout(LIMIT, request.answered).await;
    answer.expect("it comes in time").expect("it is answered")
}

/// Spawns one task per request. Once all tasks are waiting, answers the
/// requests in order, and returns the sum of the answers.
async fn all_answered<Answer>(units: u64, ask: fn(Request) -> Answer) -> u64
where
    Answer: Future<Output = u64> + Send + 'static,
{
    let waiting = Arc::new(AtomicU64::new(0));
    let mut clients = JoinSet::new();
    let mut answers = Vec::with_capacity(units as usize);
    for _ in 0..units {
        let (answer, answered) = oneshot::channel();
        answers.push(answer);
        clients.spawn(ask(Request { answered, waiting: waiting.clone() }));
    }
    while waiting.load(Ordering::Acquire) < units {
        yield_now().await;
    }
    for (id, answer) in (0..).zip(answers) {
        answer.send(id).expect("the client waits");
    }
    clients.join_all().await.into_iter().sum()
}
