//! A shutdown signal that can't be missed. It is a value, so a task that
//! starts late still sees it.

use tokio::sync::{mpsc, watch};

/// Adds up the numbers from `requests` until `stop` becomes true or the
/// sender of `stop` is dropped.
pub async fn serve(
    mut requests: mpsc::Receiver<u64>,
    mut stop: watch::Receiver<bool>,
) -> u64 {
    let mut sum = 0;
    loop {
        tokio::select! {
            _ = stop.wait_for(|&stop| stop) => return sum,
            Some(request) = requests.recv() => sum += request,
        }
    }
}
