//! The task that serves a connection, which is the same on each runtime.

use std::sync::mpsc::Sender;
use std::time::Instant;

use harness::work::work;
use tokio::sync::mpsc::UnboundedReceiver;

// ANCHOR: task
/// A request that arrives on a connection.
#[derive(Debug)]
pub struct Request {
    /// The time at which the request is due, even if the connection is still
    /// busy then.
    pub due: Instant,
    /// The number of rounds of work that the request takes.
    pub rounds: u64,
}

/// The times at which a served request was due, begun and finished.
#[derive(Debug, Clone, Copy)]
pub struct Served {
    /// When the request was due.
    pub due: Instant,
    /// When the connection's task began to serve the request.
    pub begun: Instant,
    /// When the connection's task had finished the request.
    pub done: Instant,
}

/// Serves a connection's requests one after another, until all senders have
/// been dropped.
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
    // Sending fails only if the measurement has already failed.
    let _ = tell.send(served);
}
// ANCHOR_END: task
