//! Unbounded channels between tasks, which are measured but not shown on the
//! chapter's page.

use async_channel::unbounded;
use tokio::sync::mpsc::unbounded_channel;

/// Spawns `producers` tasks that send equal shares of the numbers
/// `0..messages` through Tokio's unbounded channel, and returns the sum of
/// the numbers received.
pub async fn tokio_mpsc(producers: u64, messages: u64) -> u64 {
    let (sender, mut receiver) = unbounded_channel();
    let share = messages / producers;
    for producer in 0..producers {
        let sender = sender.clone();
        tokio::spawn(async move {
            for number in producer * share..(producer + 1) * share {
                sender.send(number).expect("it is awaited");
            }
        });
    }
    drop(sender);
    let mut sum = 0;
    while let Some(number) = receiver.recv().await {
        sum += number;
    }
    sum
}

/// Spawns `producers` tasks that send equal shares of the numbers
/// `0..messages` through async-channel's unbounded channel, and returns the
/// sum of the numbers received.
pub async fn async_channel(producers: u64, messages: u64) -> u64 {
    let (sender, receiver) = unbounded();
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
