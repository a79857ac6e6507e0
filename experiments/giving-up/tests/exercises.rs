//! The chapter's exercise. Replace the `todo!()` in the module `yours`, then
//! run:
//!
//! ```sh
//! cargo test -p giving-up --test exercises -- --ignored within
//! ```
//!
//! The module `worked` has a solution.

use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::runtime::Builder;
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

/// Your solution.
mod yours {
    use super::*;

    // ANCHOR: within
    /// Calls `step` `count` times on a thread of `spawn_blocking`. Returns
    /// whether all calls were made within `limit`. After the limit, or once
    /// this future is dropped, only a call that is already running is
    /// finished, and no more are made.
    pub(super) async fn within<Step>(
        limit: Duration,
        count: usize,
        step: Step,
    ) -> bool
    where
        Step: Fn() + Send + 'static,
    {
        let _ = (limit, count, step);
        todo!()
    }
    // ANCHOR_END: within
}

/// Our solution.
mod worked {
    use super::*;

    // ANCHOR: within_worked
    pub(super) async fn within<Step>(
        limit: Duration,
        count: usize,
        step: Step,
    ) -> bool
    where
        Step: Fn() + Send + 'static,
    {
        let wanted = CancellationToken::new();
        let stopped = wanted.clone();
        // The guard is dropped together with this future: when the future has
        // returned, when a timeout drops it, or when its task is aborted.
        let _guard = wanted.drop_guard();
        let call = spawn_blocking(move || {
            for _ in 0..count {
                if stopped.is_cancelled() {
                    return false;
                }
                step();
            }
            true
        });
        matches!(timeout(limit, call).await, Ok(Ok(true)))
    }
    // ANCHOR_END: within_worked
}

type Step = Box<dyn Fn() + Send>;

/// More steps than can be made within the time limit.
const MANY: usize = 2_000;

/// Checks that all steps are made in time, and that none are started after
/// the limit or once the future is dropped.
fn check<Done>(within: fn(Duration, usize, Step) -> Done)
where
    Done: Future<Output = bool>,
{
    let short = Duration::from_millis(20);
    let long = Duration::from_secs(60);
    let runtime = Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let (step, made) = counted();
        assert!(
            within(long, 3, step).await,
            "three steps take less than a minute"
        );
        assert_eq!(made.load(Relaxed), 3);

        let (step, made) = counted();
        assert!(
            !within(short, MANY, step).await,
            "not all were made within 20 ms"
        );
        ends(made, "after the limit").await;

        let (step, made) = counted();
        let dropped = timeout(short, within(long, MANY, step)).await;
        assert!(dropped.is_err(), "not all were made within 20 ms");
        ends(made, "once the future was dropped").await;
    });
}

/// Returns a step that takes a millisecond, and the counter of its calls. The
/// step owns a clone of the counter.
fn counted() -> (Step, Arc<AtomicUsize>) {
    let made = Arc::new(AtomicUsize::new(0));
    let clone = Arc::clone(&made);
    let step = move || {
        std::thread::sleep(Duration::from_millis(1));
        clone.fetch_add(1, Relaxed);
    };
    (Box::new(step), made)
}

/// Waits until the step has been dropped, and checks that not all steps were
/// made.
async fn ends(made: Arc<AtomicUsize>, when: &str) {
    let begun = Instant::now();
    while Arc::strong_count(&made) > 1 {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "the steps go on {when}"
        );
        sleep(Duration::from_millis(1)).await;
    }
    assert!(made.load(Relaxed) < MANY, "all steps were made {when}");
}

#[test]
#[ignore = "yours to write"]
fn within() {
    check(yours::within);
}

#[test]
fn within_worked() {
    check(worked::within);
}
