//! The ways to await futures, each as a type, so that a benchmark can combine
//! any way with any futures.

use std::future::Future;

use super::combinators as listing;

/// A way to await many futures and add up the results.
pub(super) trait Way: Copy + Send + Sync + 'static {
    /// The contender's name.
    const NAME: &'static str;

    /// Returns how many of `units` futures may be in flight at once.
    fn in_flight(self, units: u64) -> u64 {
        units
    }

    /// Awaits all `futures`, and adds up the results.
    fn sum<F: Future<Output = u64> + Send + 'static>(
        self,
        futures: impl Iterator<Item = F> + Send + 'static,
    ) -> impl Future<Output = u64> + Send;
}

macro_rules! ways {
    ($($(#[$doc:meta])* $way:ident, $name:literal, $listing:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(super) struct $way;

        impl Way for $way {
            const NAME: &'static str = $name;

            fn sum<F: Future<Output = u64> + Send + 'static>(
                self,
                futures: impl Iterator<Item = F> + Send + 'static,
            ) -> impl Future<Output = u64> + Send {
                listing::$listing(futures)
            }
        }
    )*};
}

ways! {
    /// `join!` of two.
    JoinTwo, "join", join_two;
    /// `join!` of ten.
    JoinTen, "join", join_ten;
    /// `join_all` of the crate `futures`.
    JoinAll, "join_all", join_all;
    /// `FuturesUnordered`.
    Unordered, "FuturesUnordered", unordered;
    /// Tokio's `JoinSet`.
    JoinSet, "JoinSet", join_set;
    /// `tokio::spawn`, awaiting the handles in order.
    Spawned, "tokio::spawn", spawned;
}

/// Awaits one future at a time.
#[derive(Clone, Copy)]
pub(super) struct OneAfterAnother;

impl Way for OneAfterAnother {
    const NAME: &'static str = "baseline";

    fn in_flight(self, _: u64) -> u64 {
        1
    }

    fn sum<F: Future<Output = u64> + Send + 'static>(
        self,
        futures: impl Iterator<Item = F> + Send + 'static,
    ) -> impl Future<Output = u64> + Send {
        listing::one_after_another(futures)
    }
}

macro_rules! limited {
    ($($(#[$doc:meta])* $way:ident, $name:literal, $listing:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(super) struct $way(pub(super) u64);

        impl Way for $way {
            const NAME: &'static str = $name;

            fn in_flight(self, units: u64) -> u64 {
                self.0.min(units)
            }

            fn sum<F: Future<Output = u64> + Send + 'static>(
                self,
                futures: impl Iterator<Item = F> + Send + 'static,
            ) -> impl Future<Output = u64> + Send {
                listing::$listing(futures, self.0 as usize)
            }
        }
    )*};
}

limited! {
    /// `buffer_unordered` of the crate `futures`.
    Buffered, "buffer_unordered", buffered;
    /// A `JoinSet` with a limit: when it is full, a task has to finish before
    /// the next is spawned.
    FullJoinSet, "JoinSet", join_set_of;
    /// Calls `tokio::spawn` for each future. A semaphore limits how many run.
    BehindASemaphore, "tokio::spawn", spawned_behind_a_semaphore;
}
