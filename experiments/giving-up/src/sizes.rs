//! Experiment `sizes`: the size of a request's future, depending on how the
//! client can give up.

use std::future::Future;
use std::time::Duration;

use harness::{Cell, Experiment};
use measurement::Source;
use tokio::sync::oneshot::{self, Receiver};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

pub(crate) fn experiment() -> Experiment {
    Experiment::new("sizes", "bytes per future", "baseline").cells([
        cell("baseline", bare),
        cell("timeout", in_time),
        cell("Sleep alone", |_| sleep(Duration::from_secs(30))),
        cell("select", |answer| or_stopped(answer, CancellationToken::new())),
        cell("select biased", |answer| {
            or_stopped_biased(answer, CancellationToken::new())
        }),
        cell("child_token", |answer| {
            until_cancelled(answer, CancellationToken::new())
        }),
    ])
}

fn cell<Answer: Future + 'static>(
    contender: &str,
    ask: fn(Receiver<u64>) -> Answer,
) -> Cell {
    Cell::readings(
        contender,
        Source::Counter,
        &["bytes per future"],
        move || {
            // Timers can only be created inside a runtime.
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_time()
                .build()
                .map_err(|error| error.to_string())?;
            let _inside = runtime.enter();
            let (_answer, answered) = oneshot::channel();
            Ok(vec![size_of_val(&ask(answered)) as f64])
        },
    )
}

async fn bare(answer: Receiver<u64>) -> Option<u64> {
    answer.await.ok()
}

async fn in_time(answer: Receiver<u64>) -> Option<u64> {
    timeout(Duration::from_secs(30), answer).await.ok()?.ok()
}

async fn or_stopped(
    answer: Receiver<u64>,
    stop: CancellationToken,
) -> Option<u64> {
    tokio::select! {
        answer = answer => answer.ok(),
        () = stop.cancelled() => None,
    }
}

async fn or_stopped_biased(
    answer: Receiver<u64>,
    stop: CancellationToken,
) -> Option<u64> {
    tokio::select! {
        biased;
        answer = answer => answer.ok(),
        () = stop.cancelled() => None,
    }
}

async fn until_cancelled(
    answer: Receiver<u64>,
    stop: CancellationToken,
) -> Option<u64> {
    stop.run_until_cancelled(answer).await?.ok()
}
