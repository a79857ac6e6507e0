//! Two tasks of smol hand a number to and fro through two channels.

use smol::channel;

/// Sends `rounds` numbers to a task that sends each back, and waits for it;
/// returns how many came back as they were sent.
pub async fn round_trips(rounds: u64) -> u64 {
    let (there, arriving) = channel::bounded(1);
    let (returning, back) = channel::bounded(1);
    let partner = smol::spawn(async move {
        while let Ok(number) = arriving.recv().await {
            returning.send(number).await.expect("it is awaited");
        }
    });
    let mut right = 0;
    for number in 0..rounds {
        there.send(number).await.expect("the partner listens");
        right += u64::from(back.recv().await == Ok(number));
    }
    drop(there);
    partner.await;
    right
}
