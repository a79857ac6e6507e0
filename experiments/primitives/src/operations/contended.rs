//! Locks and permits that several tasks want.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::Arc;

use tokio::task::JoinHandle;

use super::{timed_future, How, Taking};
use crate::primitive::{Mutex, RwLock, Semaphore};

/// How often all tasks take it, together.
const TIMES: u64 = 10_000;

const MUTEX_TASKS: u64 = 4;
const READERS: u64 = 4;
const WRITERS: u64 = 2;
const SEMAPHORE_TASKS: u64 = 8;
const PERMITS: usize = 2;

/// How often something is taken that so many tasks take equally often.
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
        let task = move |taken: Arc<AtomicU64>| {
            let mutex = mutex.clone();
            async move {
                for _ in 0..TIMES / MUTEX_TASKS {
                    mutex.lock(|| count(&taken)).await;
                }
            }
        };
        timed_future(counted(move |taken| {
            (0..MUTEX_TASKS)
                .map(|_| tokio::spawn(task(taken.clone())))
                .collect()
        }))
        .await
    })
}

pub(crate) fn rwlock<L: RwLock>(how: How) -> Taking {
    Box::pin(async move {
        let lock = how.made(|| Arc::new(L::new()));
        let task = move |taken: Arc<AtomicU64>, writes: bool| {
            let lock = lock.clone();
            async move {
                for _ in 0..TIMES / (READERS + WRITERS) {
                    if writes {
                        lock.write(|| count(&taken)).await;
                    } else {
                        lock.read(|| count(&taken)).await;
                    }
                }
            }
        };
        timed_future(counted(move |taken| {
            (0..READERS + WRITERS)
                .map(|place| {
                    tokio::spawn(task(taken.clone(), place >= READERS))
                })
                .collect()
        }))
        .await
    })
}

pub(crate) fn semaphore<S: Semaphore>(how: How) -> Taking {
    Box::pin(async move {
        let semaphore = how.made(|| Arc::new(S::new(PERMITS)));
        let task = move |taken: Arc<AtomicU64>| {
            let semaphore = semaphore.clone();
            async move {
                for _ in 0..TIMES / SEMAPHORE_TASKS {
                    semaphore.acquire(|| count(&taken)).await;
                }
            }
        };
        timed_future(counted(move |taken| {
            (0..SEMAPHORE_TASKS)
                .map(|_| tokio::spawn(task(taken.clone())))
                .collect()
        }))
        .await
    })
}

/// Notes, under the lock, that it was taken.
fn count(taken: &AtomicU64) {
    taken.fetch_add(1, Relaxed);
}

/// Spawns tasks that count what they take, and awaits them.
async fn counted(
    spawn: impl FnOnce(&Arc<AtomicU64>) -> Vec<JoinHandle<()>>,
) -> u64 {
    let taken = Arc::new(AtomicU64::new(0));
    for task in spawn(&taken) {
        task.await.expect("no task panics");
    }
    taken.load(Relaxed)
}
