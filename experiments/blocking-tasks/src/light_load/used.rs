//! The CPU time and context switches of a process, except those of the thread
//! that sends requests.

use std::time::Duration;

#[derive(Debug)]
pub(super) struct Used {
    pub(super) cpu: Duration,
    /// Voluntary and involuntary context switches.
    pub(super) switches: i64,
}

impl Used {
    /// Returns the resources used since `before`. A negative CPU time,
    /// possible because two clocks are read one after the other, becomes
    /// zero.
    pub(super) fn since(&self, before: &Used) -> Used {
        Used {
            cpu: self.cpu.saturating_sub(before.cpu),
            switches: self.switches - before.switches,
        }
    }
}

#[cfg(target_os = "linux")]
pub(super) fn used_by_others() -> Result<Used, String> {
    use nix::sys::resource::{getrusage, Usage, UsageWho};
    use nix::time::{clock_gettime, ClockId};

    let used = || {
        let time = |clock| clock_gettime(clock).map(Duration::from);
        let all = time(ClockId::CLOCK_PROCESS_CPUTIME_ID)?;
        let own = time(ClockId::CLOCK_THREAD_CPUTIME_ID)?;
        let switches = |of: Usage| {
            of.voluntary_context_switches() + of.involuntary_context_switches()
        };
        let all_switches = switches(getrusage(UsageWho::RUSAGE_SELF)?);
        let own_switches = switches(getrusage(UsageWho::RUSAGE_THREAD)?);
        Ok(Used {
            cpu: all.saturating_sub(own),
            switches: all_switches - own_switches,
        })
    };
    used().map_err(|error: nix::Error| format!("what was used: {error}"))
}

#[cfg(not(target_os = "linux"))]
pub(super) fn used_by_others() -> Result<Used, String> {
    Err("this system does not tell what one thread has used".to_owned())
}
