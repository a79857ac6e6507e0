//! The CPU time that a process has used.

use nix::sys::resource::{getrusage, UsageWho};
use nix::sys::time::TimeValLike;
use nix::time::{clock_gettime, ClockId};
use serde::{Deserialize, Serialize};

/// The CPU time that a process has used up to some moment.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Usage {
    /// The moment, in nanoseconds on the kernel's monotonic clock.
    pub at_ns: u64,
    /// The CPU time in user mode, in nanoseconds. Only the sum of user time
    /// and kernel time is exact: the kernel divides it by sampling at each
    /// clock tick.
    pub user_ns: u64,
    /// The CPU time in the kernel, in nanoseconds.
    pub system_ns: u64,
}

/// Returns the current time, in nanoseconds of the kernel's monotonic clock.
pub(crate) fn now_ns() -> u64 {
    let now = clock_gettime(ClockId::CLOCK_MONOTONIC);
    now.expect("there is such a clock").num_nanoseconds().unsigned_abs()
}

impl Usage {
    pub(crate) fn own() -> Usage {
        let at_ns = now_ns();
        let used = getrusage(UsageWho::RUSAGE_SELF);
        let used = used.expect("a process may ask for its own");
        let ns = |time: nix::sys::time::TimeVal| {
            1000 * time.num_microseconds().unsigned_abs()
        };
        Usage {
            at_ns,
            user_ns: ns(used.user_time()),
            system_ns: ns(used.system_time()),
        }
    }

    /// Returns the CPU time used per second since `before`: in user mode, and
    /// in the kernel.
    pub(crate) fn since(&self, before: &Usage) -> [f64; 2] {
        let elapsed = (self.at_ns - before.at_ns).max(1) as f64;
        [
            (self.user_ns - before.user_ns) as f64 / elapsed,
            (self.system_ns - before.system_ns) as f64 / elapsed,
        ]
    }
}
