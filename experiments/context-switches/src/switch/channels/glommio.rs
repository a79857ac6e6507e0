//! Two tasks of Glommio hand a number to and fro through two of its channels
//! for tasks of one thread.

use glommio::channels::local_channel;

/// Sends `rounds` numbers to a task that sends each back, and waits for it;
/// returns how many came back as they were sent.
pub async fn round_trips(rounds: u64) -> u64 {
    let (there, arriving) = local_channel::new_bounded(1);
    let (returning, back) = local_channel::new_bounded(1);
    let partner = glommio::spawn_local(async move {
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
    partner.await;
    right
}
