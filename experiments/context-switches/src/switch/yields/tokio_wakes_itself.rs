//! Two Tokio tasks take turns, and wake themselves after each look whose turn it
//! is. A task that has woken itself goes to the end of the queue, as by smol's
//! `yield_now`; the driver gets its turn after 61 tasks, not in each turn.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use futures_lite::future;
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
        future::yield_now().await;
    }
}
