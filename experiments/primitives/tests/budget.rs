//! What Tokio's budget does to its mutex: a task that has used it up gives way *with* the lock, and
//! from then on the others queue.

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

/// How many locks are not ready when they are first polled, and how many of these find the lock taken.
#[derive(Default)]
struct Waits {
    not_ready: AtomicU64,
    taken: AtomicU64,
}

async fn lock(mutex: Arc<Mutex<u64>>, waits: Arc<Waits>) {
    for _ in 0..LOCKS {
        let mut lock = pin!(mutex.lock());
        let first = poll_fn(|cx| Poll::Ready(lock.as_mut().poll(cx))).await;
        let mut count = match first {
            Poll::Ready(guard) => guard,
            Poll::Pending => {
                waits.not_ready.fetch_add(1, Relaxed);
                if mutex.try_lock().is_err() {
                    waits.taken.fetch_add(1, Relaxed);
                }
                lock.await
            }
        };
        *count += 1;
    }
}

/// On one worker, where no two tasks run at the same time and none waits with the lock.
fn waits<Task: Future<Output = ()> + Send + 'static>(
    tasks: u64,
    task: impl Fn(Arc<Mutex<u64>>, Arc<Waits>) -> Task,
) -> (u64, u64) {
    let mut builder = Builder::new_multi_thread();
    let runtime = builder.worker_threads(1).build().expect("a worker starts");
    let (mutex, waits) = (Arc::new(Mutex::new(0)), Arc::new(Waits::default()));
    let spawn = |_| runtime.spawn(task(mutex.clone(), waits.clone()));
    let spawned: Vec<_> = (0..tasks).map(spawn).collect();
    for task in spawned {
        runtime.block_on(task).expect("the task does not panic");
    }
    assert_eq!(*mutex.try_lock().expect("all are done"), tasks * LOCKS);
    (waits.not_ready.load(Relaxed), waits.taken.load(Relaxed))
}

#[test]
fn a_task_out_of_budget_gives_way_with_the_lock() {
    let (not_ready, taken) = waits(1, lock);
    assert!(not_ready > 0, "a thousand locks are more than the budget");
    assert_eq!(taken, not_ready, "and there is nobody else who could have it");
}

#[test]
fn then_the_others_queue_for_it() {
    let (_, taken) = waits(TASKS, lock);
    assert!(taken > TASKS * LOCKS / 2, "{taken}");
}

#[test]
fn without_the_budget_no_lock_is_found_taken() {
    let free = |mutex, waits| unconstrained(lock(mutex, waits));
    assert_eq!(waits(TASKS, free), (0, 0));
}
