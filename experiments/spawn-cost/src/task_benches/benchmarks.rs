//! Tokio's old scheduler benchmarks, which async-std's post used. The code is
//! the same on all runtimes, which only spawn the tasks.

use std::future::poll_fn;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::task::Poll;

use runtimes::Spawn;
use tokio::sync::oneshot;

/// Runs a chain of `tasks` tasks: each spawns the next, and the last one
/// reports how many there were.
pub fn chained_spawn(
    spawner: impl Spawn,
    tasks: u64,
    done: impl Fn(u64) + Send + 'static,
) {
    next(spawner, 0, tasks, done);
}

fn next(
    spawner: impl Spawn,
    before: u64,
    tasks: u64,
    done: impl Fn(u64) + Send + 'static,
) {
    if before == tasks {
        done(before);
    } else {
        let task = async move { next(spawner, before + 1, tasks, done) };
        spawner.spawn(task);
    }
}

/// Runs a task that spawns `pairs` tasks, each of which spawns a partner and
/// exchanges one message with it; the last pair reports how many there were.
pub fn ping_pong(
    spawner: impl Spawn,
    pairs: u64,
    done: impl Fn(u64) + Clone + Send + 'static,
) {
    let ended = Arc::new(AtomicU64::new(0));
    spawner.spawn(async move {
        for _ in 0..pairs {
            let (ended, done) = (Arc::clone(&ended), done.clone());
            spawner.spawn(async move {
                let (ping, pinged) = oneshot::channel();
                let (pong, ponged) = oneshot::channel();
                spawner.spawn(async move {
                    pinged.await.expect("the other pings");
                    pong.send(()).expect("the other waits");
                });
                ping.send(()).expect("the partner waits");
                ponged.await.expect("the partner pongs");
                let ended = ended.fetch_add(1, Ordering::Relaxed) + 1;
                if ended == pairs {
                    done(ended);
                }
            });
        }
    });
}

/// Spawns `tasks` tasks; the last one to end reports how many there were.
pub fn spawn_many(
    spawner: impl Spawn,
    tasks: u64,
    done: impl Fn(u64) + Clone + Send + 'static,
) {
    let ended = Arc::new(AtomicU64::new(0));
    for _ in 0..tasks {
        let (ended, done) = (Arc::clone(&ended), done.clone());
        spawner.spawn(async move {
            let ended = ended.fetch_add(1, Ordering::Relaxed) + 1;
            if ended == tasks {
                done(ended);
            }
        });
    }
}

/// Spawns `tasks` tasks that yield `times` times; each reports how often it
/// yielded.
pub fn yield_many(
    spawner: impl Spawn,
    tasks: u64,
    times: u64,
    done: impl Fn(u64) + Clone + Send + 'static,
) {
    for _ in 0..tasks {
        let done = done.clone();
        spawner.spawn(async move {
            for _ in 0..times {
                give_way().await;
            }
            done(times);
        });
    }
}

/// Wakes its own task and lets other tasks run first. At the time of the
/// post, `yield_now` did this in all these runtimes.
async fn give_way() {
    let mut gave_way = false;
    poll_fn(|context| {
        if gave_way {
            return Poll::Ready(());
        }
        gave_way = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
