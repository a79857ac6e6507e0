//! The operations of the suite, written once for every family.
//!
//! Their numbers are those of the source: NerdMeNot/volt, `bench/rust_bench/src/main.rs`, 4c83d89.

use std::future::Future;
use std::pin::Pin;
use std::time::{Duration, Instant};

use harness::allocations;

pub(crate) mod contended;
pub(crate) mod locks;

/// How an operation is done.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// What is used is made before, off the clock, and its allocations are not counted.
    Ours,
    /// As the source does it.
    AsPublished,
}

/// How long something took, and its answer.
pub(crate) type Took = (Duration, u64);

/// A future of an operation.
pub(crate) type Taking = Pin<Box<dyn Future<Output = Took> + Send>>;

impl How {
    /// Makes what an operation uses, off the clock.
    pub(crate) fn made<T>(self, make: impl FnOnce() -> T) -> T {
        if self == How::AsPublished {
            return make();
        }
        let was_on = allocations::count(false);
        let made = make();
        allocations::count(was_on);
        made
    }
}

/// Times what is done.
pub(crate) fn timed(work: impl FnOnce() -> u64) -> Took {
    let start = Instant::now();
    let answer = work();
    (start.elapsed(), answer)
}

/// Times what is awaited.
pub(crate) async fn timed_future(work: impl Future<Output = u64>) -> Took {
    let start = Instant::now();
    let answer = work.await;
    (start.elapsed(), answer)
}
