//! The operations of the suite, written once for every family.
//!
//! Their numbers are those of the source: NerdMeNot/volt, `bench/rust_bench/src/main.rs`, 4c83d89.

use std::future::Future;
use std::pin::Pin;
use std::time::{Duration, Instant};

use harness::allocations;
use tokio::task::{unconstrained, JoinHandle};

pub(crate) mod channels;
pub(crate) mod construction;
pub(crate) mod contended;
pub(crate) mod locks;
pub(crate) mod signals;
pub(crate) mod values;

/// How an operation is done.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// What it uses is made before, off the clock, and its allocations are not counted.
    Ours,
    /// As ours, in tasks that do not make way for others when they have done much.
    Unconstrained,
    /// As the source does it, whose bytes are also those of what is made.
    AsPublished,
}

impl How {
    /// Makes what an operation uses, off the clock.
    fn made<T>(self, make: impl FnOnce() -> T) -> T {
        if self == How::AsPublished {
            return make();
        }
        let was_on = allocations::count(false);
        let made = make();
        allocations::count(was_on);
        made
    }

    /// Spawns one of an operation's tasks.
    fn spawn<T: Send + 'static>(
        self,
        task: impl Future<Output = T> + Send + 'static,
    ) -> JoinHandle<T> {
        match self {
            How::Unconstrained => tokio::spawn(unconstrained(task)),
            How::Ours | How::AsPublished => tokio::spawn(task),
        }
    }
}

/// How long operations took, and how many gave the right answer.
pub(crate) type Took = (Duration, u64);

/// The same of operations that are awaited.
pub(crate) type Taking = Pin<Box<dyn Future<Output = Took> + Send>>;

fn timed(work: impl FnOnce() -> u64) -> Took {
    let start = Instant::now();
    let right = work();
    (start.elapsed(), right)
}

async fn timed_future(work: impl Future<Output = u64>) -> Took {
    let start = Instant::now();
    let right = work.await;
    (start.elapsed(), right)
}
