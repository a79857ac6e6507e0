//! The CPU time that the load itself takes.

use std::io;
use std::time::Duration;

use nix::sys::resource::{getrusage, UsageWho};
use nix::sys::time::TimeVal;
use serde::{Deserialize, Serialize};

use super::clock::nanoseconds;

/// CPU time as a share of a core: 1 if it was busy all the time. A closed loop whose
/// threads come near that may be the limit itself, and the server able to do more.
///
/// Over loopback the kernel carries a message to the receiver's socket within the
/// sender's system call, so some of what looks like the server's work is here.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct CpuShare {
    /// In the program.
    pub user: f64,
    /// In the kernel.
    pub system: f64,
    /// Of both, in polls that found no answer: what room a load has that never sleeps.
    /// One that sleeps has none of these, and its room is what it does not use.
    pub empty_polls: f64,
}

/// The CPU time of a thread at some instant.
#[derive(Debug, Clone, Copy)]
pub(super) struct CpuTime {
    at: u64,
    user: Duration,
    system: Duration,
}

impl CpuTime {
    /// That of this thread, now.
    pub(super) fn of_this_thread(now: u64) -> io::Result<CpuTime> {
        let usage = getrusage(UsageWho::RUSAGE_THREAD)?;
        let duration = |time: TimeVal| {
            let microseconds = time.tv_sec() * 1_000_000 + time.tv_usec();
            Duration::from_micros(microseconds.unsigned_abs())
        };
        let (user, system) = (usage.user_time(), usage.system_time());
        Ok(CpuTime { at: now, user: duration(user), system: duration(system) })
    }

    /// What was used since then, so many nanoseconds of it in empty polls; nothing if
    /// no time has gone by.
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
