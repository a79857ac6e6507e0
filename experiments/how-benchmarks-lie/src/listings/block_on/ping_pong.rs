//! Two tasks pass a message back and forth.

use tokio::sync::{mpsc, oneshot};

/// Sends `round_trips` questions to another task, and awaits each reply. The
/// other task replies with the number of questions so far. Returns the last
/// reply.
pub async fn ping_pong(round_trips: u64) -> u64 {
    let (ask, mut asked) = mpsc::channel::<oneshot::Sender<u64>>(1);
    let partner = tokio::spawn(async move {
        let mut count = 0;
        while let Some(reply) = asked.recv().await {
            count += 1;
            reply.send(count).expect("the question is awaited");
        }
    });
    let mut count = 0;
    for _ in 0..round_trips {
        let (reply, answer) = oneshot::channel();
        ask.send(reply).await.expect("the partner listens");
        count = answer.await.expect("the partner replies");
    }
    drop(ask);
    partner.await.expect("the partner ends");
    count
}
