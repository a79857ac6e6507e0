//! A shutdown that can't be missed: it is a value, so a task that starts late
//! still sees it.

use tokio::sync::{mpsc, watch};

/// Adds up requests until `stop` becomes true or its sender is gone.
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
