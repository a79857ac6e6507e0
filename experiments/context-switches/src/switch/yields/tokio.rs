//! Two Tokio tasks take turns, and yield after each look whose turn it is. Tokio's
//! `yield_now` puts the task aside until no other is ready to run and the driver
//! has been asked for events: a turn has an `epoll_wait` in it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use tokio::task;

/// Takes `rounds` turns, and has another task take as many in between; returns
/// how many they were.
pub async fn round_trips(rounds: u64) -> u64 {
    let turns = Arc::new(AtomicU64::new(0));
    let partner = task::spawn(take(Arc::clone(&turns), 1, rounds));
    take(Arc::clone(&turns), 0, rounds).await;
    partner.await.expect("the partner takes its turns");
    turns.load(Ordering::Acquire) / 2
}

async fn take(turns: Arc<AtomicU64>, mine: u64, rounds: u64) {
    let mut taken = 0;
    while taken < rounds {
        let turn = turns.load(Ordering::Acquire);
        if turn % 2 == mine {
            turns.store(turn + 1, Ordering::Release);
            taken += 1;
        }
        task::yield_now().await;
    }
}
