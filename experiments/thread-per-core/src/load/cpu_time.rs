//! Measures the CPU time of the load generator itself.

use std::io;
use std::time::Duration;

use nix::sys::resource::{getrusage, UsageWho};
use nix::sys::time::TimeVal;
use serde::{Deserialize, Serialize};

use super::clock::nanoseconds;

/// The load generator's CPU time as a fraction of a core: 1 if one core was
/// always busy. If every thread of a closed loop comes near 1, the load may
/// be the limit, and the server able to do more.
///
/// Over loopback, the kernel delivers a message to the receiver's socket
/// within the sender's system call. So the fraction includes work that seems
/// to belong to the server.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct CpuShare {
    /// CPU time in user mode, as a fraction of a core.
    pub user: f64,
    /// CPU time in the kernel, as a fraction of a core.
    pub system: f64,
    /// The part of `user` and `system` that was spent in polls that found no
    /// answer. It shows how much more a load that never sleeps could do. A
    /// load that sleeps has no empty polls, and its reserve is the time that
    /// it doesn't use.
    pub empty_polls: f64,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct CpuTime {
    at: u64,
    user: Duration,
    system: Duration,
}

impl CpuTime {
    pub(super) fn of_this_thread(now: u64) -> io::Result<CpuTime> {
        let usage = getrusage(UsageWho::RUSAGE_THREAD)?;
        let duration = |time: TimeVal| {
            let microseconds = time.tv_sec() * 1_000_000 + time.tv_usec();
            Duration::from_micros(microseconds.unsigned_abs())
        };
        let (user, system) = (usage.user_time(), usage.system_time());
        Ok(CpuTime { at: now, user: duration(user), system: duration(system) })
    }

    /// Returns the CPU time used since `earlier`, and the `empty_polls`
    /// nanoseconds, as fractions of a core.
    pub(super) fn since(
        &self,
        earlier: &CpuTime,
        empty_polls: u64,
    ) -> CpuShare {
        let all = self.at.saturating_sub(earlier.at).max(1) as f64;
        let share = |now: Duration, then: Duration| {
            nanoseconds(now.saturating_sub(then)) as f64 / all
        };
        CpuShare {
            user: share(self.user, earlier.user),
            system: share(self.system, earlier.system),
            empty_polls: empty_polls as f64 / all,
        }
    }
}
