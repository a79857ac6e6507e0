//! What runs on each runtime: a connection's task.

use std::sync::mpsc::Sender;
use std::time::Instant;

use harness::work::work;
use tokio::sync::mpsc::UnboundedReceiver;

// ANCHOR: task
/// A request that a connection gets.
#[derive(Debug)]
pub struct Request {
    /// When it is due, whether or not anybody has time for it.
    pub due: Instant,
    /// How many rounds of work it is.
    pub rounds: u64,
}

/// What is known of a request that was served.
#[derive(Debug, Clone, Copy)]
pub struct Served {
    /// When it was due.
    pub due: Instant,
    /// When the task began with it.
    pub begun: Instant,
    /// When it was done.
    pub done: Instant,
}

/// Serves a connection's requests, one after the other, until nobody can send any.
pub async fn serve(
    mut requests: UnboundedReceiver<Request>,
    tell: Sender<Vec<Served>>,
) {
    let mut served = Vec::new();
    while let Some(Request { due, rounds }) = requests.recv().await {
        let begun = Instant::now();
        work(rounds);
        served.push(Served { due, begun, done: Instant::now() });
    }
    // Fails only if the visit has already failed.
    let _ = tell.send(served);
}
// ANCHOR_END: task
