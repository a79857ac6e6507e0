//! The operations of the suite, written once for all families.
//!
//! How often each operation is done is taken from the source: NerdMeNot/volt,
//! `bench/rust_bench/src/main.rs`, 4c83d89.

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
    /// Objects are created in advance, off the clock, and their allocations are
    /// not counted.
    Ours,
    /// Like `Ours`, but tasks don't yield after doing a lot.
    Unconstrained,
    /// The published measurement, which also counts the bytes of creating
    /// objects.
    AsPublished,
}

impl How {
    /// Creates the objects of an operation, off the clock. Their allocations
    /// are counted only in the published measurement.
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

/// How long the operations took, and how many gave the right answer.
pub(crate) type Took = (Duration, u64);

/// A future of [`Took`], for operations that are awaited.
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
