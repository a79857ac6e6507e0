//! The CPU time of the load itself.

use std::io;
use std::time::Duration;

use nix::sys::resource::{getrusage, UsageWho};
use nix::sys::time::TimeVal;
use serde::{Deserialize, Serialize};

use super::clock::nanoseconds;

/// CPU time as a share of a core: 1 if it was busy all the time. If the threads
/// of a closed loop come near that, the load may be the limit, and the server
/// able to do more.
///
/// Over loopback, the kernel delivers a message to the receiver's socket within
/// the sender's system call, so this includes work that seems to be the
/// server's.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct CpuShare {
    /// In user mode.
    pub user: f64,
    /// In the kernel.
    pub system: f64,
    /// The part of both in polls that found no answer: the reserve of a load
    /// that never sleeps. A load that sleeps has none of these, and its reserve
    /// is its unused time.
    pub empty_polls: f64,
}

/// The CPU time of a thread at an instant.
#[derive(Debug, Clone, Copy)]
pub(super) struct CpuTime {
    at: u64,
    user: Duration,
    system: Duration,
}

impl CpuTime {
    /// Returns the CPU time of this thread now.
    pub(super) fn of_this_thread(now: u64) -> io::Result<CpuTime> {
        let usage = getrusage(UsageWho::RUSAGE_THREAD)?;
        let duration = |time: TimeVal| {
            let microseconds = time.tv_sec() * 1_000_000 + time.tv_usec();
            Duration::from_micros(microseconds.unsigned_abs())
        };
        let (user, system) = (usage.user_time(), usage.system_time());
        Ok(CpuTime { at: now, user: duration(user), system: duration(system) })
    }

    /// Returns the use since `earlier`, including `empty_polls` nanoseconds of
    /// empty polls; zero if no time has passed.
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
