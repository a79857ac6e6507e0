//! Two tasks pass a number back and forth, each on its own Tokio runtime with
//! one thread.

use std::thread;

use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{channel, Receiver, Sender};

/// Creates a Tokio runtime that runs on one thread.
pub fn runtime() -> Runtime {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.expect("a Tokio runtime can be built")
}

/// The task that sends each number first. Its partner, a task on the other
/// runtime, sends the number back.
pub struct Pair {
    runtime: Runtime,
    /// The first task's sender and receiver. They are moved into the task
    /// while it runs.
    ends: Option<(Sender<u64>, Receiver<u64>)>,
}

impl Pair {
    /// Starts the partner's runtime in a new thread, which first calls
    /// `first`. That thread ends when the pair is dropped.
    pub fn start(first: impl FnOnce() + Send + 'static) -> Pair {
        let (there, mut arriving) = channel(1);
        let (returning, back) = channel(1);
        thread::spawn(move || {
            first();
            let runtime = runtime();
            let partner = runtime.spawn(async move {
                while let Some(number) = arriving.recv().await {
                    if returning.send(number).await.is_err() {
                        return;
                    }
                }
            });
            runtime.block_on(partner).expect("the partner ends");
        });
        Pair { runtime: runtime(), ends: Some((there, back)) }
    }

    /// Sends `rounds` numbers to the partner, waiting for each to come back.
    /// Returns how many came back unchanged.
    pub fn round_trips(&mut self, rounds: u64) -> u64 {
        let (there, mut back) = self.ends.take().expect("no task has them");
        let task = self.runtime.spawn(async move {
            let mut right = 0;
            for number in 0..rounds {
                there.send(number).await.expect("the partner listens");
                right += u64::from(back.recv().await == Some(number));
            }
            (right, (there, back))
        });
        let ended = self.runtime.block_on(task);
        let (right, ends) = ended.expect("the task does not panic");
        self.ends = Some(ends);
        right
    }
}
