//! A shutdown that nobody misses: it is a value, which whoever comes late still finds.

use tokio::sync::{mpsc, watch};

/// Adds up requests until it is told to stop, or nobody is left to tell it.
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
