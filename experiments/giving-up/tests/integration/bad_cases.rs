//! Tests each way of giving up when something goes wrong: nothing hangs, and
//! nothing is reported twice.

use std::future::{pending, ready, Future};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::task::{yield_now, JoinSet};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

const CENTURY: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

const LONG: Duration = Duration::from_secs(20);

/// Runs a task on a runtime with two workers. Fails if the task doesn't end
/// within [`LONG`].
fn run<T: Send + 'static>(task: impl Future<Output = T> + Send + 'static) -> T {
    let runtime =
        Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.unwrap();
    let task = runtime.spawn(async { timeout(LONG, task).await });
    runtime.block_on(task).unwrap().expect("it hangs")
}

/// Panics when polled. Unlike `panic!`, prints no message.
async fn panics() -> u64 {
    std::panic::resume_unwind(Box::new("on purpose"))
}

/// A value that increments the counter when it is dropped.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn a_panic_goes_through_a_timeout_and_a_select() {
    run(async {
        let in_time = tokio::spawn(timeout(LONG, panics()));
        assert!(in_time.await.unwrap_err().is_panic());
        let either = tokio::spawn(async {
            tokio::select! {
                biased;
                answer = panics() => answer,
                () = pending() => 0,
            }
        });
        assert!(either.await.unwrap_err().is_panic());
        let stop = CancellationToken::new();
        let stopped = stop.clone();
        let stoppable =
            tokio::spawn(stopped.run_until_cancelled_owned(panics()));
        assert!(stoppable.await.unwrap_err().is_panic());
        assert!(!stop.is_cancelled());
    });
}

#[test]
fn a_panic_of_one_task_leaves_the_others_of_a_set() {
    run(async {
        let mut tasks = JoinSet::new();
        tasks.spawn(panics());
        tasks.spawn(ready(7));
        let mut ended = Vec::new();
        while let Some(task) = tasks.join_next().await {
            ended.push(task.ok());
        }
        ended.sort_unstable();
        assert_eq!(ended, [None, Some(7)]);
    });
}

#[test]
fn a_token_that_is_dropped_stops_nobody_and_its_guard_does() {
    run(async {
        let stop = CancellationToken::new();
        let child = stop.child_token();
        drop(stop);
        assert!(!child.is_cancelled());
        let waits = timeout(Duration::from_millis(5), child.cancelled());
        assert!(waits.await.is_err());
        let guard = child.clone().drop_guard();
        drop(guard);
        assert!(child.is_cancelled());
        // The parent stays cancelled, even for children created later.
        child.cancel();
        assert!(child.child_token().is_cancelled());
        assert_eq!(child.run_until_cancelled(pending::<()>()).await, None);
    });
}

#[test]
fn a_child_that_is_cancelled_leaves_its_parent() {
    let stop = CancellationToken::new();
    let [one, other] = [(); 2].map(|()| stop.child_token());
    one.cancel();
    assert!(!stop.is_cancelled() && !other.is_cancelled());
    stop.cancel();
    assert!(other.is_cancelled());
}

#[test]
fn a_watch_whose_sender_has_gone_says_so() {
    run(async {
        let (stop, mut stopped) = tokio::sync::watch::channel(false);
        drop(stop);
        assert!(stopped.wait_for(|&is_stopped| is_stopped).await.is_err());
    });
}

#[test]
fn a_timeout_of_zero_polls_once() {
    run(async {
        let answer = timeout(Duration::ZERO, ready(7)).await;
        assert_eq!(answer, Ok(7));
        assert!(timeout(Duration::ZERO, pending::<()>()).await.is_err());
    });
}

#[test]
fn a_timeout_of_centuries_waits_for_the_answer() {
    run(async {
        for limit in [CENTURY, 10 * CENTURY, Duration::MAX] {
            let answer = async {
                sleep(Duration::from_millis(2)).await;
                7
            };
            assert_eq!(timeout(limit, answer).await, Ok(7), "{limit:?}");
        }
    });
}

#[test]
fn ten_thousand_aborts_at_once_leave_nothing() {
    const TASKS: usize = 10_000;
    run(async {
        let dropped = Arc::new(AtomicUsize::new(0));
        let mut tasks = Vec::with_capacity(TASKS);
        for _ in 0..TASKS {
            let counted = Counted(dropped.clone());
            tasks.push(tokio::spawn(async move {
                let _counted = counted;
                pending::<()>().await;
            }));
        }
        for task in &tasks {
            task.abort();
            // Aborting a task a second time has no effect.
            task.abort();
        }
        for task in tasks {
            assert!(task.await.unwrap_err().is_cancelled());
        }
        assert_eq!(dropped.load(Ordering::SeqCst), TASKS);
    });
}

#[test]
fn abort_returns_before_the_task_has_gone() {
    let runtime = Builder::new_current_thread().build().unwrap();
    let dropped = Arc::new(AtomicUsize::new(0));
    let counted = Counted(dropped.clone());
    let task = runtime.spawn(async move {
        let _counted = counted;
        pending::<()>().await;
    });
    runtime.block_on(yield_now());
    task.abort();
    assert_eq!(dropped.load(Ordering::SeqCst), 0);
    assert!(!task.is_finished());
    assert!(runtime.block_on(task).unwrap_err().is_cancelled());
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
}

#[test]
fn an_abort_that_comes_too_late_changes_nothing() {
    run(async {
        let task = tokio::spawn(ready(7));
        while !task.is_finished() {
            yield_now().await;
        }
        task.abort();
        assert_eq!(task.await.unwrap(), 7);
    });
}

#[test]
fn a_timeout_outside_of_a_runtime_panics() {
    let outside = || drop(timeout(LONG, ready(7)));
    // The panic prints its message, which appears in the test's output.
    assert!(catch_unwind(AssertUnwindSafe(outside)).is_err());
}
