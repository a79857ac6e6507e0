//! Two Tokio tasks that take turns: each wakes the other and waits for it.

use std::sync::Arc;

use tokio::sync::Notify;

/// Makes two tasks take turns for `rounds` rounds, and returns the number of
/// rounds.
pub async fn take_turns(rounds: u64) -> u64 {
    let (ours, theirs) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (wake, turn) = (Arc::clone(&ours), Arc::clone(&theirs));
    let partner = tokio::spawn(async move {
        for _ in 0..rounds {
            turn.notified().await;
            wake.notify_one();
        }
        rounds
    });
    for _ in 0..rounds {
        theirs.notify_one();
        ours.notified().await;
    }
    partner.await.expect("the partner returns a number")
}
