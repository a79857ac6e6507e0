//! A loop that forwards jobs, and gets ticks in between.

use tokio::sync::mpsc::{Receiver, Sender};

// ANCHOR: wrong
/// Wrong: a tick drops the job that is waiting for room.
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
/// Right: the branch only receives a job. The job is forwarded outside, where
/// a tick can't drop it.
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
