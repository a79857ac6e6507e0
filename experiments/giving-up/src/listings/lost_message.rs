//! A loop that forwards jobs to a channel and also receives ticks, written in
//! two ways.

use tokio::sync::mpsc::{Receiver, Sender};

// ANCHOR: wrong
/// Wrong: if a tick arrives while a job waits for room in the channel, the
/// job is dropped.
pub async fn forward_in_a_branch(
    mut jobs: Receiver<u64>,
    to: Sender<u64>,
    mut ticks: Receiver<()>,
) {
    loop {
        tokio::select! {
            sent = async {
                let job = jobs.recv().await?;
                to.send(job).await.ok()
            } => if sent.is_none() { return },
            Some(()) = ticks.recv() => {}
        }
    }
}
// ANCHOR_END: wrong

// ANCHOR: right
/// Right: the branch of `select!` only receives a job. The job is forwarded
/// after the `select!`, where a tick can't drop it.
pub async fn forward(
    mut jobs: Receiver<u64>,
    to: Sender<u64>,
    mut ticks: Receiver<()>,
) {
    loop {
        tokio::select! {
            Some(job) = jobs.recv() => {
                if to.send(job).await.is_err() {
                    return;
                }
            }
            Some(()) = ticks.recv() => {}
            else => return,
        }
    }
}
// ANCHOR_END: right
