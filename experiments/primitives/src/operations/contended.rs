//! Locks and permits that several tasks compete for.

use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::Arc;

use super::{timed_future, How, Taking};
use crate::primitive::{Mutex, RwLock, Semaphore};

/// The number of acquisitions of the lock or of permits, over all tasks.
const TIMES: u64 = 10_000;

const MUTEX_TASKS: u64 = 4;
const READERS: u64 = 4;
const WRITERS: u64 = 2;
const SEMAPHORE_TASKS: u64 = 8;
const PERMITS: usize = 2;

/// Returns the number of acquisitions by `tasks` tasks: [`TIMES`], rounded
/// down to a multiple of `tasks`.
const fn times(tasks: u64) -> u64 {
    TIMES / tasks * tasks
}

pub(crate) fn mutex_times(_: How) -> u64 {
    times(MUTEX_TASKS)
}

pub(crate) fn rwlock_times(_: How) -> u64 {
    times(READERS + WRITERS)
}

pub(crate) fn semaphore_times(_: How) -> u64 {
    times(SEMAPHORE_TASKS)
}

pub(crate) fn mutex<M: Mutex>(how: How) -> Taking {
    Box::pin(async move {
        let mutex = how.made(|| Arc::new(M::new()));
        let task = |_, taken: Arc<AtomicU64>| {
            let mutex = mutex.clone();
            async move {
                for _ in 0..TIMES / MUTEX_TASKS {
                    mutex.lock(|| count(&taken)).await;
                }
            }
        };
        timed_future(by_tasks(how, MUTEX_TASKS, task)).await
    })
}

pub(crate) fn rwlock<L: RwLock>(how: How) -> Taking {
    Box::pin(async move {
        let lock = how.made(|| Arc::new(L::new()));
        let task = |place, taken: Arc<AtomicU64>| {
            let lock = lock.clone();
            async move {
                for _ in 0..TIMES / (READERS + WRITERS) {
                    if place < READERS {
                        lock.read(|| count(&taken)).await;
                    } else {
                        lock.write(|| count(&taken)).await;
                    }
                }
            }
        };
        timed_future(by_tasks(how, READERS + WRITERS, task)).await
    })
}

pub(crate) fn semaphore<S: Semaphore>(how: How) -> Taking {
    Box::pin(async move {
        let semaphore = how.made(|| Arc::new(S::new(PERMITS)));
        let task = |_, taken: Arc<AtomicU64>| {
            let semaphore = semaphore.clone();
            async move {
                for _ in 0..TIMES / SEMAPHORE_TASKS {
                    semaphore.acquire(|| count(&taken)).await;
                }
            }
        };
        timed_future(by_tasks(how, SEMAPHORE_TASKS, task)).await
    })
}

fn count(taken: &AtomicU64) {
    taken.fetch_add(1, Relaxed);
}

/// Spawns `tasks` tasks and awaits them. Each task gets its index and a
/// shared counter of acquisitions. Returns the final count.
async fn by_tasks<Task: Future<Output = ()> + Send + 'static>(
    how: How,
    tasks: u64,
    task: impl Fn(u64, Arc<AtomicU64>) -> Task,
) -> u64 {
    let taken = Arc::new(AtomicU64::new(0));
    let spawn = |place| how.spawn(task(place, taken.clone()));
    let spawned: Vec<_> = (0..tasks).map(spawn).collect();
    for task in spawned {
        task.await.expect("no task panics");
    }
    taken.load(Relaxed)
}
