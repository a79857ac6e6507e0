//! Tokio's old scheduler benchmarks, which async-std's post used: the same code
//! for every runtime, which only spawns.

use std::future::{poll_fn, Future};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::task::Poll;

use tokio::sync::oneshot;

/// A runtime, as far as the benchmarks use it.
pub trait Runtime: Copy + Send + 'static {
    /// Spawns a task and drops its handle.
    fn spawn(self, task: impl Future<Output = ()> + Send + 'static);
}

// ANCHOR: chained_spawn
/// Each task spawns the next; the last says how many there were.
pub fn chained_spawn(
    runtime: impl Runtime,
    tasks: u64,
    done: impl Fn(u64) + Send + 'static,
) {
    next(runtime, 0, tasks, done);
}

fn next(
    runtime: impl Runtime,
    before: u64,
    tasks: u64,
    done: impl Fn(u64) + Send + 'static,
) {
    if before == tasks {
        done(before);
    } else {
        let task = async move { next(runtime, before + 1, tasks, done) };
        runtime.spawn(task);
    }
}
// ANCHOR_END: chained_spawn

// ANCHOR: ping_pong
/// A task spawns `pairs` tasks, each of which spawns a partner and exchanges
/// one message with it; the last pair says how many there were.
pub fn ping_pong(
    runtime: impl Runtime,
    pairs: u64,
    done: impl Fn(u64) + Clone + Send + 'static,
) {
    let ended = Arc::new(AtomicU64::new(0));
    runtime.spawn(async move {
        for _ in 0..pairs {
            let (ended, done) = (Arc::clone(&ended), done.clone());
            runtime.spawn(async move {
                let (ping, pinged) = oneshot::channel();
                let (pong, ponged) = oneshot::channel();
                runtime.spawn(async move {
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
// ANCHOR_END: ping_pong

// ANCHOR: spawn_many
/// Spawns `tasks` tasks; the last to end says how many there were.
pub fn spawn_many(
    runtime: impl Runtime,
    tasks: u64,
    done: impl Fn(u64) + Clone + Send + 'static,
) {
    let ended = Arc::new(AtomicU64::new(0));
    for _ in 0..tasks {
        let (ended, done) = (Arc::clone(&ended), done.clone());
        runtime.spawn(async move {
            let ended = ended.fetch_add(1, Ordering::Relaxed) + 1;
            if ended == tasks {
                done(ended);
            }
        });
    }
}
// ANCHOR_END: spawn_many

// ANCHOR: yield_many
/// Spawns `tasks` tasks that give way `times` times; each says how often it
/// did.
pub fn yield_many(
    runtime: impl Runtime,
    tasks: u64,
    times: u64,
    done: impl Fn(u64) + Clone + Send + 'static,
) {
    for _ in 0..tasks {
        let done = done.clone();
        runtime.spawn(async move {
            for _ in 0..times {
                give_way().await;
            }
            done(times);
        });
    }
}

/// Wakes its own task and lets others go first, as all of these runtimes'
/// `yield_now` did then.
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
// ANCHOR_END: yield_many
