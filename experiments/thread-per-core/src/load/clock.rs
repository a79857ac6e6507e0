//! The clock that all threads of a load generator share.

use std::time::{Duration, Instant};

/// A monotonic clock that counts nanoseconds since the start of the load.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    start: Instant,
}

impl Clock {
    pub(super) fn start() -> Clock {
        Clock { start: Instant::now() }
    }

    pub(super) fn now(self) -> u64 {
        nanoseconds(self.start.elapsed())
    }
}

pub(super) fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
