//! Two tasks of Monoio hand a number to and fro through two channels. Monoio
//! has none of its own; `async_channel` is the one that smol has, too.

use async_channel::bounded;

/// Sends `rounds` numbers to a task that sends each back, and waits for it;
/// returns how many came back as they were sent.
pub async fn round_trips(rounds: u64) -> u64 {
    let (there, arriving) = bounded(1);
    let (returning, back) = bounded(1);
    let partner = monoio::spawn(async move {
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
