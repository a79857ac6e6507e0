//! Determines which shares of the machine's CPU time go to this run, to other processes and to
//! the hypervisor.

use std::fs;
use std::time::Instant;

use crate::control_groups::{field, ControlGroup, MadeGroup, PROCESSES};
use crate::kernel_files::{seconds, KernelFiles};
use crate::processes::Processes;

/// Measures the CPU time of the run's own processes. Create only one at a time, before the first
/// child is started, so that all children are counted.
///
/// Uses the first of these two methods that is possible here:
///
/// - `cgroup v2`: this process moves into a control group of its own and leaves it at the end. The
///   group's `cpu.stat` also includes processes that have ended or lost their parents.
/// - `process tree`: adds up this process, its living descendants and the children that were waited
///   for, from /proc. It misses processes that have lost their parents: they count as foreign. The
///   resolution is 10 ms per process.
///
/// Without root, `cgroup v2` works if a user's own systemd manages the group.
pub struct CpuUse {
    pub(crate) files: KernelFiles,
    group: Option<MadeGroup>,
}

/// The total CPU times of the machine and of the run up to one moment, in seconds.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    pub(crate) at: Instant,
    cpus: f64,
    idle: f64,
    /// The time spent in interrupts, including soft ones.
    interrupts: f64,
    steal: f64,
    own: f64,
    /// The CPU time of all other processes, according to /proc.
    others: f64,
}

/// Shares of the machine's CPU time between two readings, from 0 to 1 in steps of 0.0001.
#[derive(Debug, PartialEq, Default)]
pub struct Shares {
    /// The share of the machine's CPU time that processes outside the run used.
    pub foreign: f64,
    /// The share of the machine's CPU time that the hypervisor took.
    pub steal: f64,
}

impl CpuUse {
    /// Starts measuring. Never fails: if no control group can be created, adds up the times of
    /// the run's processes instead.
    pub fn begin() -> CpuUse {
        let files = KernelFiles::of_this_computer();
        CpuUse { group: own_group(&files), files }
    }

    /// Starts measuring in a process that must stay in its control group. Adds up the times of
    /// the run's processes.
    pub(crate) fn by_the_process_tree(files: KernelFiles) -> CpuUse {
        CpuUse { files, group: None }
    }

    /// Reads the CPU times, which takes a few milliseconds. Returns `None` outside Linux or
    /// without /proc. The kernel counts in steps of 10 ms, so two readings should be at least
    /// half a second apart.
    pub fn now(&self) -> Option<Reading> {
        let at = Instant::now();
        let stat = self.files.text("/proc/stat")?;
        let mut lines = stat.lines().take_while(|line| line.starts_with("cpu"));
        // The first line is the total of all CPUs. It is followed by one line per CPU.
        let total: Vec<u64> = lines.next()?.split(' ').flat_map(str::parse).collect();
        let [_user, _nice, _system, idle, iowait, irq, softirq, steal, ..] = total[..] else {
            return None;
        };
        let processes = Processes::now(&self.files)?;
        let own = match &self.group {
            Some(group) => used_in(group)?,
            None => processes.used(true),
        };
        Some(Reading {
            at,
            cpus: lines.count() as f64,
            idle: seconds(idle + iowait),
            interrupts: seconds(irq + softirq),
            steal: seconds(steal),
            own,
            others: processes.used(false),
        })
    }

    /// Returns how the run's own CPU time is measured: `cgroup v2` or `process tree`; `None` if it can't be measured.
    pub fn by(&self) -> Option<&'static str> {
        self.now()?;
        Some(if self.group.is_some() { "cgroup v2" } else { "process tree" })
    }
}

/// Moves this process into a new control group until the result is dropped. Children inherit the
/// group. Returns `None` if the group can't be created.
///
/// Only creates a group that does nothing but add up CPU time. Otherwise, the kernel would also
/// schedule or charge memory by group, which would change the measured times.
fn own_group(files: &KernelFiles) -> Option<MadeGroup> {
    let parent = files.path(ControlGroup::of_version_2(files)?.directories.first()?);
    let controls = fs::read_to_string(parent.join("cgroup.subtree_control")).ok()?;
    if !controls.trim().is_empty() {
        return None;
    }
    let group = MadeGroup::below(&parent, "run")?;
    // Switches off pressure accounting, which would make each context switch more expensive.
    // Older kernels don't have this file.
    drop(fs::write(group.0.join("cgroup.pressure"), "0"));
    fs::write(group.0.join(PROCESSES), std::process::id().to_string()).ok()?;
    used_in(&group).is_some().then_some(group)
}

/// Returns the CPU time of all processes that are or were in the group, in seconds.
fn used_in(group: &MadeGroup) -> Option<f64> {
    let text = fs::read_to_string(group.0.join("cpu.stat")).ok()?;
    Some(field(&text, "usage_usec")? as f64 / 1e6)
}

impl Reading {
    /// Returns the shares of the machine's CPU time between the reading `earlier` and this one.
    ///
    /// The total is wall-clock time times the number of CPUs. The kernel's own total would be
    /// less exact, because it counts ticks, which are attributed by chance. Time in interrupts,
    /// including soft ones, is not attributed to any process: on a measuring machine, most of it
    /// is spent on the run's own loopback traffic, but the kernel doesn't say on whose.
    ///
    /// The foreign share is the total without the known parts (idle, interrupts, stolen and our
    /// own), but no more than other processes have used. It is never negative, even if the kernel
    /// counts some time twice: as stolen and as idle, or for an interrupt and a process. If
    /// threads of the run keep waking each other on other CPUs, part of that cost is not
    /// attributed to anyone: 6 % in a chain of 50 threads with no other process running.
    pub fn since(&self, earlier: &Reading) -> Shares {
        let used = |of: fn(&Reading) -> f64| (of(self) - of(earlier)).max(0.0);
        let all = (self.at - earlier.at).as_secs_f64() * self.cpus;
        if all == 0.0 {
            return Shares::default();
        }
        let steal = used(|at| at.steal);
        let known = used(|at| at.idle) + used(|at| at.interrupts) + steal + used(|at| at.own);
        let foreign = (all - known).clamp(0.0, used(|at| at.others));
        let share = |time: f64| ((time / all).min(1.0) * 1e4).round() / 1e4;
        Shares { foreign: share(foreign), steal: share(steal) }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::kernel_files::tests::{made, process_stat};

    #[test]
    fn what_is_left_of_all_time_is_foreign_if_other_processes_have_used_it() {
        let at = Instant::now();
        let reading = |at, [idle, interrupts, steal, own, others]: [f64; 5]| Reading {
            at,
            cpus: 2.0,
            idle,
            interrupts,
            steal,
            own,
            others,
        };
        for (earlier, later, foreign, steal) in [
            // During 2 s: 0.7 s idle, 0.1 s in interrupts, 0.04 s stolen, and 1 s in the run's
            // own processes.
            ([9.0, 0.4, 0.03, 5.0, 1.0], [9.7, 0.5, 0.07, 6.0, 6.0], 0.08, 0.02),
            ([0.0; 5], [0.7, 0.1, 0.04, 1.0, 0.02], 0.01, 0.02),
            ([0.0; 5], [0.7, 0.1, 0.04, 1.0, 0.0], 0.0, 0.02),
            // Time in interrupts isn't attributed to any process.
            ([0.0; 5], [1.0, 0.5, 0.0, 0.5, 5.0], 0.0, 0.0),
            // Even if time is counted twice or runs backwards, no share is below 0 or above 1.
            ([0.0; 5], [2.0, 0.0, 2.1, 1.5, 5.0], 0.0, 1.0),
            ([0.5, 0.0, 0.0, 0.7, 0.0], [0.4, 0.0, 0.0, 0.6, 5.0], 1.0, 0.0),
        ] {
            let shares = reading(at + Duration::from_secs(1), later).since(&reading(at, earlier));
            assert_eq!(shares, Shares { foreign, steal }, "{earlier:?} {later:?}");
        }
        let reading = reading(at, [5.0; 5]);
        assert_eq!(reading.since(&reading), Shares::default());
    }

    #[test]
    fn the_kernels_files_are_read_where_there_is_one_core() {
        let me = std::process::id() as i32;
        let times = "100 0 50 900 7 2 3 4 0 0";
        let (own, init) = (process_stat(me, 1, "run", 20), process_stat(1, 0, "init", 300));
        let (_root, files) = made(&format!(
            "/proc/stat cpu  {times}\ncpu0 {times}\nctxt 1\nbtime 2\n/proc/{me}/stat {own}/proc/1/stat {init}"
        ));
        let own = CpuUse::by_the_process_tree(files);
        assert_eq!(own.by(), Some("process tree"));
        let reading = own.now().unwrap();
        let expected = Reading {
            cpus: 1.0,
            idle: 9.07,
            interrupts: 0.05,
            steal: 0.04,
            own: 0.26,
            others: 3.06,
            ..reading
        };
        assert_eq!(reading, expected);
        let unknown = CpuUse::by_the_process_tree(made("").1);
        assert_eq!((unknown.by(), unknown.now()), (None, None));
    }

    #[test]
    fn where_a_group_would_control_none_is_made() {
        let (_root, files) =
            made("/proc/self/cgroup 0::/box\n/sys/fs/cgroup/box/cgroup.subtree_control cpu pids");
        assert!(own_group(&files).is_none());
        assert_eq!(files.entries("/sys/fs/cgroup/box").count(), 1);
        assert!(own_group(&made("").1).is_none());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_we_compute_is_our_own_and_the_group_goes_in_the_end() {
        let groups = || fs::read_to_string("/proc/self/cgroup").unwrap();
        let before = groups();
        let both = [CpuUse::by_the_process_tree(KernelFiles::of_this_computer()), CpuUse::begin()];
        for own in &both {
            let first = own.now().unwrap();
            let spins = "i=0; while [ $i -lt 500000 ]; do i=$((i + 1)); done";
            std::process::Command::new("sh").args(["-c", spins]).status().unwrap();
            let used = own.now().unwrap().own - first.own;
            assert!(used > 0.1, "{:?}: {used} s", own.by());
        }
        drop(both);
        assert_eq!(groups(), before);
    }
}
