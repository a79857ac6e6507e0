//! What runs on each runtime: a connection's task.

use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

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
    /// Requests of the lead-in are served, and don't count.
    pub counts: bool,
}

/// What is known of a request that was served.
#[derive(Debug, Clone, Copy)]
pub struct Served {
    /// From when it was due until the task began with it.
    pub waited: Duration,
    /// From when it was due until it was done.
    pub took: Duration,
    /// How long the task was at it.
    pub worked: Duration,
}

/// Serves a connection's requests, one after the other, until nobody can send any.
pub async fn serve(
    mut requests: UnboundedReceiver<Request>,
    tell: Sender<Vec<Served>>,
) {
    let mut served = Vec::new();
    while let Some(Request { due, rounds, counts }) = requests.recv().await {
        let waited = due.elapsed();
        work(rounds);
        let took = due.elapsed();
        if counts {
            served.push(Served { waited, took, worked: took - waited });
        }
    }
    // If nobody wants to know, the visit has failed already.
    let _ = tell.send(served);
}
// ANCHOR_END: task
