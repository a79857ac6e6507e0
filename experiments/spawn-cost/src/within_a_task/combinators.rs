//! Ways to run many futures concurrently, within one task or with one task per
//! future. Each function awaits all of them, and adds up the results.

use std::future::Future;
use std::sync::Arc;

use futures_util::stream::{self, FuturesUnordered, StreamExt};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// Awaits one future after the other: the next begins when the previous one
/// has finished.
pub(super) async fn one_after_another<F: Future<Output = u64>>(
    futures: impl Iterator<Item = F>,
) -> u64 {
    let mut sum = 0;
    for future in futures {
        sum += future.await;
    }
    sum
}

/// Awaits two futures with `join!`, within the future of the calling task.
pub(super) async fn join_two<F: Future<Output = u64>>(
    mut futures: impl Iterator<Item = F>,
) -> u64 {
    let mut next = || futures.next().expect("there are two");
    let (a, b) = tokio::join!(next(), next());
    a + b
}

/// Awaits ten futures with `join!`.
pub(super) async fn join_ten<F: Future<Output = u64>>(
    mut futures: impl Iterator<Item = F>,
) -> u64 {
    let mut next = || futures.next().expect("there are ten");
    let (a, b, c, d, e, f, g, h, i, j) = tokio::join!(
        next(),
        next(),
        next(),
        next(),
        next(),
        next(),
        next(),
        next(),
        next(),
        next(),
    );
    a + b + c + d + e + f + g + h + i + j
}

/// Awaits any number of futures within the task, with `join_all`.
pub(super) async fn join_all<F: Future<Output = u64>>(
    futures: impl Iterator<Item = F>,
) -> u64 {
    futures_util::future::join_all(futures).await.into_iter().sum()
}

/// Awaits any number of futures within the task, in any order. Only woken
/// futures are polled.
pub(super) async fn unordered<F: Future<Output = u64>>(
    futures: impl Iterator<Item = F>,
) -> u64 {
    let mut futures: FuturesUnordered<F> = futures.collect();
    let mut sum = 0;
    while let Some(answer) = futures.next().await {
        sum += answer;
    }
    sum
}

// ANCHOR: at_most
/// Runs the futures within the task, at most `at_once` at a time.
pub(super) async fn buffered<F: Future<Output = u64>>(
    futures: impl Iterator<Item = F>,
    at_once: usize,
) -> u64 {
    let mut answers = stream::iter(futures).buffer_unordered(at_once);
    let mut sum = 0;
    while let Some(answer) = answers.next().await {
        sum += answer;
    }
    sum
}

/// Runs each future in a task, with at most `at_once` tasks at a time.
pub(super) async fn join_set_of<F>(
    futures: impl Iterator<Item = F>,
    at_once: usize,
) -> u64
where
    F: Future<Output = u64> + Send + 'static,
{
    let mut tasks = JoinSet::new();
    let mut sum = 0;
    for future in futures {
        if tasks.len() == at_once {
            let done = tasks.join_next().await.expect("there are some");
            sum += done.expect("no future panics");
        }
        tasks.spawn(future);
    }
    while let Some(done) = tasks.join_next().await {
        sum += done.expect("no future panics");
    }
    sum
}
// ANCHOR_END: at_most

/// Spawns one task per future, in a `JoinSet`.
pub(super) async fn join_set<F>(futures: impl Iterator<Item = F>) -> u64
where
    F: Future<Output = u64> + Send + 'static,
{
    let mut tasks: JoinSet<u64> = futures.collect();
    let mut sum = 0;
    while let Some(done) = tasks.join_next().await {
        sum += done.expect("no future panics");
    }
    sum
}

/// Spawns one task per future, and awaits the handles in order.
pub(super) async fn spawned<F>(futures: impl Iterator<Item = F>) -> u64
where
    F: Future<Output = u64> + Send + 'static,
{
    let tasks: Vec<_> = futures.map(tokio::spawn).collect();
    let mut sum = 0;
    for task in tasks {
        sum += task.await.expect("no future panics");
    }
    sum
}

/// Spawns one task per future, all at once; a semaphore limits how many of
/// the futures run at a time.
pub(super) async fn spawned_behind_a_semaphore<F>(
    futures: impl Iterator<Item = F>,
    at_once: usize,
) -> u64
where
    F: Future<Output = u64> + Send + 'static,
{
    let permits = Arc::new(Semaphore::new(at_once));
    let behind = |future: F| {
        let permits = Arc::clone(&permits);
        async move {
            let _permit = permits.acquire().await.expect("it stays open");
            future.await
        }
    };
    let tasks: Vec<_> =
        futures.map(|future| tokio::spawn(behind(future))).collect();
    let mut sum = 0;
    for task in tasks {
        sum += task.await.expect("no future panics");
    }
    sum
}
