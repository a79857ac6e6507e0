//! The task of a connection, which runs on each runtime.

use std::sync::mpsc::Sender;
use std::time::Instant;

use harness::work::work;
use tokio::sync::mpsc::UnboundedReceiver;

// ANCHOR: task
/// A request to a connection.
#[derive(Debug)]
pub struct Request {
    /// When it is due, whether or not its connection is busy.
    pub due: Instant,
    /// The number of rounds of work.
    pub rounds: u64,
}

/// The times of a served request.
#[derive(Debug, Clone, Copy)]
pub struct Served {
    /// When it was due.
    pub due: Instant,
    /// When the task began to serve it.
    pub begun: Instant,
    /// When it had finished.
    pub done: Instant,
}

/// Serves a connection's requests, one after the other, until all senders are
/// gone.
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
