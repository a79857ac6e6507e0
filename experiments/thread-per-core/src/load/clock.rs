//! The clock that all threads of a load share.

use std::time::{Duration, Instant};

/// Returns nanoseconds since the start of the load, by the monotonic clock.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    start: Instant,
}

impl Clock {
    /// Creates a clock that starts now.
    pub(super) fn start() -> Clock {
        Clock { start: Instant::now() }
    }

    pub(super) fn now(self) -> u64 {
        nanoseconds(self.start.elapsed())
    }
}

/// Converts a duration of at most some minutes.
pub(super) fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
