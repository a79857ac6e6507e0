//! Operations in which one task wakes another.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, Mutex};

/// The number of tasks, and how many times they take the lock in total. Both are the same as in
/// the suite of chapter `primitives`.
const TASKS: u64 = 4;
const LOCKS: u64 = 10_000;

const MESSAGES: u64 = 1_000;

/// Makes tasks compete for a mutex. Returns the elapsed time, and how many times the mutex was
/// locked.
pub(crate) async fn mutex() -> (Duration, u64) {
    let mutex = Arc::new(Mutex::new(0));
    let start = Instant::now();
    let spawn = |_| {
        let mutex = mutex.clone();
        tokio::spawn(async move {
            for _ in 0..LOCKS / TASKS {
                *mutex.lock().await += 1;
            }
        })
    };
    let tasks: Vec<_> = (0..TASKS).map(spawn).collect();
    for task in tasks {
        task.await.expect("no task panics");
    }
    let took = start.elapsed();
    let taken = *mutex.lock().await;
    (took, taken)
}

/// Sends messages to another task, which answers each before the next is sent. Returns how long
/// that took, and the number of correct answers.
pub(crate) async fn channel() -> (Duration, u64) {
    let (ask, mut asked) = mpsc::channel(1);
    let (answer, mut answered) = mpsc::channel(1);
    let start = Instant::now();
    let other = tokio::spawn(async move {
        while let Some(message) = asked.recv().await {
            if answer.send(message).await.is_err() {
                return;
            }
        }
    });
    let mut right = 0;
    for message in 0..MESSAGES {
        ask.send(message).await.expect("the other task receives");
        right += u64::from(answered.recv().await == Some(message));
    }
    drop(ask);
    other.await.expect("the other task does not panic");
    (start.elapsed(), right)
}
