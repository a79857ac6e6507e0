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

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// Objects are created in advance: neither their creation nor their
    /// allocations are measured.
    Ours,
    /// Like `Ours`, but without Tokio's budget, so that tasks aren't forced
    /// to yield.
    Unconstrained,
    /// The published measurement. It also counts the bytes allocated to
    /// create objects.
    AsPublished,
}

impl How {
    /// Creates the objects that an operation needs, before the operation is
    /// timed. Their allocations are counted only in the published
    /// measurement.
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

/// The total time of all repetitions of an operation, and the number of
/// correct results.
pub(crate) type Took = (Duration, u64);

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
