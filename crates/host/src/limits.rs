//! What this machine allows, by the kernel's settings and this process's own limits.

use procfs_core::process::{LimitValue, Limits};

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
    /// Addresses that it may map, in bytes.
    pub(crate) address_space: LimitValue,
    /// The stack of its first thread, in bytes.
    pub(crate) stack: LimitValue,
}

impl ProcessLimits {
    pub(crate) fn read(files: &KernelFiles) -> Option<ProcessLimits> {
        let limits: Limits = files.parsed("/proc/self/limits")?;
        Some(ProcessLimits {
            open_files: limits.max_open_files.soft_limit,
            locked_memory: limits.max_locked_memory.soft_limit,
            processes: limits.max_processes.soft_limit,
            address_space: limits.max_address_space.soft_limit,
            stack: limits.max_stack_size.soft_limit,
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
    use crate::kernel_files::tests::{made, process_limits};

    #[test]
    fn what_is_not_known_is_no_limit() {
        let (_root, files) = made(&[]);
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
