//! Two Tokio tasks hand a number to and fro through two channels.

use tokio::sync::mpsc;
use tokio::task;

/// Sends `rounds` numbers to a task that sends each back, and waits for it;
/// returns how many came back as they were sent.
pub async fn round_trips(rounds: u64) -> u64 {
    let (there, mut arriving) = mpsc::channel(1);
    let (returning, mut back) = mpsc::channel(1);
    let partner = task::spawn(async move {
        while let Some(number) = arriving.recv().await {
            returning.send(number).await.expect("it is awaited");
        }
    });
    let mut right = 0;
    for number in 0..rounds {
        there.send(number).await.expect("the partner listens");
        right += u64::from(back.recv().await == Some(number));
    }
    drop(there);
    partner.await.expect("the partner ends");
    right
}
