//! Tokio tasks and calls in Tokio's blocking pool, and several ways to give
//! up on them.

use std::future::Future;
use std::time::Instant;

use tokio::runtime::{Builder, Runtime};
use tokio::task::{block_in_place, spawn_blocking, yield_now, JoinHandle};
use tokio::time::{sleep, timeout};

use super::job::{check, compute, watched, Owned, Took, AFTER, JOB, STEP};

pub(super) fn aborted_waiting() -> Took {
    aborted(|owned| async move {
        owned.begin();
        sleep(JOB).await;
    })
}

pub(super) fn aborted_computing() -> Took {
    aborted(|owned| async move {
        owned.begin();
        compute(JOB);
        yield_now().await;
    })
}

pub(super) fn aborted_in_steps() -> Took {
    aborted(|owned| async move {
        owned.begin();
        for _ in 0..JOB.as_millis() / STEP.as_millis() {
            compute(STEP);
            yield_now().await;
        }
    })
}

pub(super) fn aborted_in_place() -> Took {
    aborted(|owned| async move {
        owned.begin();
        block_in_place(|| compute(JOB));
        yield_now().await;
    })
}

/// Aborts a call in the blocking pool that is already running.
pub(super) fn aborted_blocking() -> Took {
    let runtime = runtime()?;
    let (owned, watcher) = watched();
    let call = runtime.spawn_blocking(move || call(&owned));
    let took = watcher.gives_up(|| call.abort())?;
    let outcome = runtime.block_on(call);
    check(outcome.is_ok(), "a call that had begun was cancelled")?;
    Ok(took)
}

/// Aborts a call that is still in the blocking pool's queue, because the
/// pool's only thread is busy.
pub(super) fn aborted_queued() -> Took {
    let runtime = with(Builder::new_multi_thread().max_blocking_threads(1))?;
    let ((ahead, first), (owned, queued)) = (watched(), watched());
    runtime.spawn_blocking(move || call(&ahead));
    let second = runtime.spawn_blocking(move || call(&owned));
    let mut start = Instant::now();
    first.gives_up(|| {
        start = Instant::now();
        second.abort();
    })?;
    let gone = queued.until_gone()?;
    let outcome = runtime.block_on(second);
    let is_cancelled = outcome.is_err_and(|error| error.is_cancelled());
    check(is_cancelled, "a call in the queue was not cancelled")?;
    check(!queued.has_begun(), "a call was cancelled and ran")?;
    Ok(gone.saturating_duration_since(start))
}

/// Drops the handle of a running task.
pub(super) fn handle_dropped() -> Took {
    let runtime = runtime()?;
    let (owned, watcher) = watched();
    let task = runtime.spawn(async move {
        owned.begin();
        sleep(JOB).await;
    });
    watcher.gives_up(|| drop(task))
}

/// Puts a timeout around a computation in the same task.
pub(super) fn timeout_computing() -> Took {
    let runtime = runtime()?;
    let (owned, watcher) = watched();
    let job = async move {
        owned.begin();
        compute(JOB);
    };
    let task = runtime.spawn(async { timeout(AFTER, job).await });
    let took = watcher.outlasts_timer()?;
    let outcome = runtime.block_on(task);
    check(matches!(outcome, Ok(Ok(()))), "a computation timed out")?;
    Ok(took)
}

/// Puts a timeout around the handle of a call in the blocking pool. The call
/// continues after the timeout has expired.
pub(super) fn timeout_blocking() -> Took {
    let runtime = runtime()?;
    let (owned, watcher) = watched();
    let task = runtime.spawn(async {
        timeout(AFTER, spawn_blocking(move || call(&owned))).await
    });
    let took = watcher.outlasts_timer()?;
    let outcome = runtime.block_on(task);
    check(matches!(outcome, Ok(Err(_))), "the timeout did not pass")?;
    Ok(took)
}

/// Measures how long it takes to drop a runtime while a call is running in
/// its blocking pool.
pub(super) fn runtime_dropped() -> Took {
    let runtime = runtime()?;
    let (owned, watcher) = watched();
    runtime.spawn_blocking(move || call(&owned));
    let mut dropped = None;
    let start = watcher.gives_up(|| {
        let start = Instant::now();
        drop(runtime);
        dropped = Some(start.elapsed());
    });
    start?;
    dropped.ok_or_else(|| "it was not dropped".to_owned())
}

/// Measures how long a call in the blocking pool continues after its runtime
/// is shut down in the background.
pub(super) fn left_in_background() -> Took {
    let runtime = runtime()?;
    let (owned, watcher) = watched();
    runtime.spawn_blocking(move || call(&owned));
    watcher.gives_up(|| runtime.shutdown_background())
}

fn call(owned: &Owned) {
    owned.begin();
    compute(JOB);
}

/// Spawns a task, and aborts it after a while.
fn aborted<Job>(job: impl FnOnce(Owned) -> Job) -> Took
where
    Job: Future<Output = ()> + Send + 'static,
{
    let runtime = runtime()?;
    let (owned, watcher) = watched();
    let task: JoinHandle<()> = runtime.spawn(job(owned));
    let took = watcher.gives_up(|| task.abort())?;
    let outcome = runtime.block_on(task);
    let is_cancelled = outcome.is_err_and(|error| error.is_cancelled());
    check(is_cancelled, "it was not cancelled")?;
    Ok(took)
}

fn runtime() -> Result<Runtime, String> {
    with(&mut Builder::new_multi_thread())
}

fn with(builder: &mut Builder) -> Result<Runtime, String> {
    let runtime = builder.worker_threads(2).enable_all().build();
    runtime.map_err(|error| format!("no runtime: {error}"))
}
