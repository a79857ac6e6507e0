//! What this machine allows, by the kernel's settings, this process's own limits, and its control
//! groups.

use procfs_core::process::{LimitValue, Limits};
use procfs_core::LoadAverage;

use crate::control_groups::ControlGroup;
use crate::kernel_files::KernelFiles;

/// A limit that the kernel sets to all processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KernelLimit {
    /// Threads of the machine.
    Threads,
    /// The highest id of a process or thread.
    Ids,
    /// Memory mappings of a process.
    Mappings,
}

impl KernelLimit {
    pub(crate) const ALL: [KernelLimit; 3] =
        [KernelLimit::Threads, KernelLimit::Ids, KernelLimit::Mappings];

    /// Its name to `sysctl`.
    pub(crate) fn sysctl(self) -> &'static str {
        match self {
            KernelLimit::Threads => "kernel.threads-max",
            KernelLimit::Ids => "kernel.pid_max",
            KernelLimit::Mappings => "vm.max_map_count",
        }
    }

    /// The last part of that name, by which it is known.
    pub(crate) fn name(self) -> &'static str {
        self.sysctl().rsplit('.').next().unwrap_or_default()
    }

    pub(crate) fn read(self, files: &KernelFiles) -> Option<u64> {
        files.number(format!("/proc/sys/{}", self.sysctl().replace('.', "/")))
    }
}

/// The soft limits of this process.
pub(crate) struct ProcessLimits {
    /// Files that are open at once.
    pub(crate) open_files: LimitValue,
    /// Memory that may not be swapped, in bytes.
    pub(crate) locked_memory: LimitValue,
    /// Processes and threads of its user.
    pub(crate) processes: LimitValue,
}

impl ProcessLimits {
    pub(crate) fn read(files: &KernelFiles) -> Option<ProcessLimits> {
        let limits: Limits = files.parsed("/proc/self/limits")?;
        Some(ProcessLimits {
            open_files: limits.max_open_files.soft_limit,
            locked_memory: limits.max_locked_memory.soft_limit,
            processes: limits.max_processes.soft_limit,
        })
    }
}

/// A limit as `ulimit` prints it.
pub(crate) fn in_words(limit: LimitValue) -> String {
    match limit {
        LimitValue::Unlimited => "unlimited".to_owned(),
        LimitValue::Value(value) => value.to_string(),
    }
}

/// Whether this process may have so many more threads at once. `std` ends the
/// whole process, without an error, where a thread's guard page cannot be mapped.
///
/// # Errors
///
/// If a limit is too low, with its name, what is needed, and what there is. What
/// cannot be read is taken for no limit.
pub fn room_for_threads(threads: u64) -> Result<(), String> {
    threads_fit(&KernelFiles::of_this_computer(), threads)
}

fn threads_fit(files: &KernelFiles, threads: u64) -> Result<(), String> {
    // Its stack, its stack for signals, and a guard page for each.
    const MAPPINGS: u64 = 4;
    let fits = |limit: &str, more: u64, used: u64, most: Option<u64>| match most {
        Some(most) if used + more > most => Err(format!(
            "{threads} threads need {more} more of {limit}, which allows \
             {most}, with {used} in use"
        )),
        _ => Ok(()),
    };
    let mappings = files.text("/proc/self/maps");
    let mappings = mappings.map_or(0, |maps| maps.lines().count() as u64);
    // All threads of the machine.
    let load: Option<LoadAverage> = files.parsed("/proc/loadavg");
    let running = load.map_or(0, |load| u64::from(load.max));
    for (limit, more, used) in [
        (KernelLimit::Mappings, MAPPINGS * threads, mappings),
        (KernelLimit::Threads, threads, running),
        (KernelLimit::Ids, threads, running),
    ] {
        fits(limit.sysctl(), more, used, limit.read(files))?;
    }
    let group = ControlGroup::limiting(files, "pids");
    for directory in group.iter().flat_map(ControlGroup::and_those_around) {
        let used = files.number(directory.join("pids.current")).unwrap_or(0);
        let file = directory.join("pids.max");
        fits(&file.display().to_string(), threads, used, files.number(&file))?;
    }
    Ok(())
}

/// Lets this process, and those that it starts, have as many files open as the
/// hard limit allows. The soft one is often 1,024, for the sake of programs that
/// wait by `select`, which none here does.
#[cfg(target_os = "linux")]
pub fn raise_file_limit() {
    use nix::sys::resource::{getrlimit, setrlimit, Resource};
    if let Ok((_, hard)) = getrlimit(Resource::RLIMIT_NOFILE) {
        // If it is refused, `room_for_files` tells what lacks.
        let _ = setrlimit(Resource::RLIMIT_NOFILE, hard, hard);
    }
}

/// Elsewhere nothing is known of it.
#[cfg(not(target_os = "linux"))]
pub fn raise_file_limit() {}

/// Whether so many more files can be open at once.
///
/// # Errors
///
/// If not, the limit and what to do. What cannot be read is taken for no limit.
pub fn room_for_files(files: u64) -> Result<(), String> {
    files_fit(&KernelFiles::of_this_computer(), files)
}

fn files_fit(kernel: &KernelFiles, files: u64) -> Result<(), String> {
    // The rest of the program has some, too.
    const OTHERS: u64 = 200;
    let needed = files + OTHERS;
    match ProcessLimits::read(kernel).map(|limits| limits.open_files) {
        Some(LimitValue::Value(limit)) if limit < needed => Err(format!(
            "{files} files more are needed, and {limit} may be open: ulimit -n {needed}"
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control_groups::tests::{MOUNTS_OF_ONE, MOUNTS_OF_TWO};
    use crate::kernel_files::tests::{made, process_limits};

    #[cfg(target_os = "linux")]
    #[test]
    fn a_few_threads_fit_and_too_many_are_refused_with_the_limit() {
        room_for_threads(10).unwrap();
        let reason = room_for_threads(1 << 40).unwrap_err();
        assert!(reason.contains("vm.max_map_count"), "{reason}");
    }

    #[test]
    fn what_is_in_use_counts() {
        let (_root, files) = made(&[
            ("/proc/loadavg", "0.10 0.20 0.30 1/400 4242\n"),
            ("/proc/self/maps", "a\nb\n"),
            ("/proc/sys/vm/max_map_count", "402\n"),
            ("/proc/sys/kernel/threads-max", "480\n"),
        ]);
        threads_fit(&files, 80).unwrap();
        let reason = threads_fit(&files, 81).unwrap_err();
        assert!(reason.contains("81 more of kernel.threads-max"), "{reason}");
        assert!(reason.contains("400 in use"), "{reason}");
        let reason = threads_fit(&files, 101).unwrap_err();
        assert!(reason.contains("404 more of vm.max_map_count"), "{reason}");
    }

    #[test]
    fn the_groups_around_limit_as_well_in_version_2() {
        let (_root, files) = made(&[
            ("/proc/self/cgroup", "0::/a/b\n"),
            ("/proc/self/mountinfo", MOUNTS_OF_TWO),
            ("/sys/fs/cgroup/a/b/pids.max", "max\n"),
            ("/sys/fs/cgroup/a/b/pids.current", "5\n"),
            ("/sys/fs/cgroup/a/pids.max", "100\n"),
            ("/sys/fs/cgroup/a/pids.current", "30\n"),
        ]);
        threads_fit(&files, 70).unwrap();
        let reason = threads_fit(&files, 71).unwrap_err();
        assert!(reason.contains("/sys/fs/cgroup/a/pids.max, which allows 100"), "{reason}");
    }

    #[test]
    fn and_in_version_1() {
        let (_root, files) = made(&[
            ("/proc/self/cgroup", "8:pids:/a\n0::/\n"),
            ("/proc/self/mountinfo", MOUNTS_OF_ONE),
            ("/sys/fs/cgroup/pids/a/pids.max", "100\n"),
        ]);
        let reason = threads_fit(&files, 101).unwrap_err();
        assert!(reason.contains("/sys/fs/cgroup/pids/a/pids.max"), "{reason}");
    }

    #[test]
    fn what_is_not_known_is_no_limit() {
        let (_root, files) = made(&[]);
        threads_fit(&files, 1 << 40).unwrap();
        files_fit(&files, 1 << 40).unwrap();
    }

    #[test]
    fn files_that_do_not_fit_are_refused_with_the_way_to_have_more() {
        let limits = process_limits(["1024", "unlimited", "unlimited"]);
        let (_root, files) = made(&[("/proc/self/limits", &limits)]);
        files_fit(&files, 824).unwrap();
        let reason = files_fit(&files, 825).unwrap_err();
        assert!(reason.ends_with("1024 may be open: ulimit -n 1025"), "{reason}");
        let limits = process_limits(["unlimited", "unlimited", "unlimited"]);
        let (_root, files) = made(&[("/proc/self/limits", &limits)]);
        files_fit(&files, 1 << 40).unwrap();
    }

    #[test]
    fn limits_are_known_by_the_end_of_their_name() {
        let names = KernelLimit::ALL.map(KernelLimit::name);
        assert_eq!(names, ["threads-max", "pid_max", "max_map_count"]);
    }
}
