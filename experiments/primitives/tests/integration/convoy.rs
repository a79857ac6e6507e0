//! Tests how Tokio's budget affects many tasks. Once a task has used up its
//! budget, all tasks queue for a mutex, even though no task holds it across
//! an `await`. `budget.rs` tests a single task.

use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::Arc;
use std::task::Poll;

use futures_util::future::poll_fn;
use tokio::runtime::Builder;
use tokio::sync::Mutex;
use tokio::task::unconstrained;

const TASKS: u64 = 10;
const LOCKS: u64 = 1_000;

async fn lock(mutex: Arc<Mutex<u64>>, waits: Arc<AtomicU64>) {
    for _ in 0..LOCKS {
        let mut lock = pin!(mutex.lock());
        let first = poll_fn(|cx| Poll::Ready(lock.as_mut().poll(cx))).await;
        let mut count = match first {
            Poll::Ready(guard) => guard,
            Poll::Pending => {
                waits.fetch_add(1, Relaxed);
                lock.await
            }
        };
        *count += 1;
    }
}

/// Returns how many lock operations are not ready at the first poll. Tasks
/// don't overlap: there is only one worker, and no task awaits anything while
/// it holds the lock.
fn waits<Task: Future<Output = ()> + Send + 'static>(
    task: impl Fn(Arc<Mutex<u64>>, Arc<AtomicU64>) -> Task,
) -> u64 {
    let mut builder = Builder::new_multi_thread();
    let runtime = builder.worker_threads(1).build().expect("a worker starts");
    let (mutex, waits) = (Arc::new(Mutex::new(0)), Arc::new(AtomicU64::new(0)));
    let spawn = |_| runtime.spawn(task(mutex.clone(), waits.clone()));
    let spawned: Vec<_> = (0..TASKS).map(spawn).collect();
    for task in spawned {
        runtime.block_on(task).expect("the task does not panic");
    }
    assert_eq!(*mutex.try_lock().expect("all are done"), TASKS * LOCKS);
    waits.load(Relaxed)
}

#[test]
fn most_locks_are_found_taken() {
    let waited = waits(lock);
    assert!(waited > TASKS * LOCKS / 2, "{waited}");
}

#[test]
fn without_the_budget_no_lock_is_found_taken() {
    let free = |mutex, waits| unconstrained(lock(mutex, waits));
    assert_eq!(waits(free), 0);
}
