//! The measured operations on primitives, written once for all libraries.
//!
//! The number of repetitions of each operation is taken from the published
//! benchmark: NerdMeNot/volt, `bench/rust_bench/src/main.rs`, 4c83d89.

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

/// The way in which an operation is measured.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// Objects are created in advance: neither their creation nor their
    /// allocations are measured.
    Ours,
    /// Like `Ours`, but tasks don't use Tokio's budget, which would make them
    /// yield now and then.
    Unconstrained,
    /// The published measurement, which also counts the bytes allocated for
    /// creating objects.
    AsPublished,
}

impl How {
    /// Creates the objects of an operation before it is timed. Their
    /// allocations are counted only in the published measurement.
    fn made<T>(self, make: impl FnOnce() -> T) -> T {
        if self == How::AsPublished {
            return make();
        }
        let was_on = allocations::count(false);
        let made = make();
        allocations::count(was_on);
        made
    }

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

/// How long all repetitions of an operation took, and how many gave the
/// correct result.
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
