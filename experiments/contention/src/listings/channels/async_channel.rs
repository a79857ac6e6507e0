//! Tasks send numbers through a bounded channel from the crate async-channel,
//! and one task receives them.

use async_channel::bounded;

/// Spawns `producers` tasks that send equal shares of the numbers
/// `0..messages`, and returns the sum of the numbers received.
pub async fn sum(producers: u64, messages: u64, capacity: usize) -> u64 {
    let (sender, receiver) = bounded(capacity);
    let share = messages / producers;
    for producer in 0..producers {
        let sender = sender.clone();
        tokio::spawn(async move {
            for number in producer * share..(producer + 1) * share {
                sender.send(number).await.expect("it is awaited");
            }
        });
    }
    drop(sender);
    let mut sum = 0;
    while let Ok(number) = receiver.recv().await {
        sum += number;
    }
    sum
}
