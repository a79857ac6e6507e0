//! What the rest of the machine does meanwhile, and which machine it is.

#[cfg(target_os = "linux")]
mod control_group;
#[cfg_attr(not(test), expect(dead_code, reason = "run.rs is to ask it"))]
mod hardware;
#[cfg_attr(not(test), expect(dead_code, reason = "run.rs is to begin it"))]
mod own_use;
#[cfg(target_os = "linux")]
mod processes;
#[cfg_attr(not(test), expect(dead_code, reason = "run.rs is to wait"))]
mod quiet;

#[expect(unused_imports, reason = "run.rs and rounds.rs are to use them")]
pub(crate) use self::{
    hardware::Host,
    own_use::{OwnUse, Reading, Shares},
    quiet::{wait_for_quiet, Quiet},
};

use std::fs::{File, TryLockError};

/// Waits until no other run measures on this machine, and keeps others waiting
/// while what it returns lives. Says so by `say` if it has to wait, or cannot
/// tell whether it should.
pub(crate) fn alone(say: impl Fn(&str)) -> Option<File> {
    let path = std::env::temp_dir().join("threads-tasks-and-cores.lock");
    let created = File::options().create(true).append(true).open(&path);
    // Another user's file can be read, and locked.
    let Ok(file) = created.or_else(|_| File::open(&path)) else {
        say("warning: whether another run is measuring is not known");
        return None;
    };
    if let Err(TryLockError::WouldBlock) = file.try_lock() {
        say("waiting for another run to end");
        drop(file.lock());
    }
    Some(file)
}

/// A reading of the machine's CPU time, in clock ticks since it started.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CpuTime {
    total: u64,
    idle: u64,
    steal: u64,
    /// This process, the children it has waited for, and the one that lives with
    /// those it has waited for.
    own: u64,
}

impl CpuTime {
    /// Reads it; `child` is the one child that lives, if any. `None` where it is not known how
    /// (everywhere but on Linux).
    #[cfg(target_os = "linux")]
    pub(crate) fn now(child: Option<u32>) -> Option<CpuTime> {
        use procfs::process::Process;
        use procfs::CurrentSI;
        let stat = procfs::KernelStats::current().ok()?.total;
        let me = Process::myself().ok()?.stat().ok()?;
        let child = match child {
            None => 0,
            Some(id) => {
                let child = Process::new(id.try_into().ok()?).ok()?;
                let child = child.stat().ok()?;
                child.utime + child.stime + waited_for(&child)
            }
        };
        let idle = stat.idle + stat.iowait.unwrap_or(0);
        let steal = stat.steal.unwrap_or(0);
        let irq = stat.irq.unwrap_or(0) + stat.softirq.unwrap_or(0);
        // Time of guests is contained in user time.
        let total = stat.user + stat.nice + stat.system + irq + idle + steal;
        Some(CpuTime {
            total,
            idle,
            steal,
            own: me.utime + me.stime + waited_for(&me) + child,
        })
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn now(_child: Option<u32>) -> Option<CpuTime> {
        None
    }

    /// Since `earlier`: the share that others used, and the share that the hypervisor kept.
    pub(crate) fn since(self, earlier: CpuTime) -> (f64, f64) {
        let total = self.total.saturating_sub(earlier.total).max(1) as f64;
        let idle = self.idle.saturating_sub(earlier.idle) as f64;
        let steal = self.steal.saturating_sub(earlier.steal) as f64;
        let own = self.own.saturating_sub(earlier.own) as f64;
        let foreign = (total - idle - steal - own).max(0.0);
        let share = |ticks: f64| (ticks / total * 1e4).round() / 1e4;
        (share(foreign), share(steal))
    }
}

/// The CPU time of the children that a process has waited for.
#[cfg(target_os = "linux")]
fn waited_for(process: &procfs::process::Stat) -> u64 {
    u64::try_from(process.cutime + process.cstime).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_all_cpu_time() {
        let before = CpuTime { total: 1_000, idle: 500, steal: 0, own: 100 };
        let after = CpuTime { total: 2_000, idle: 900, steal: 50, own: 600 };
        assert_eq!(after.since(before), (0.05, 0.05));
    }
}
