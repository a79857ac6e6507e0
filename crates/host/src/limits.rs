//! What this machine allows, by the kernel's settings and this process's own limits.

use procfs_core::process::{Limit, LimitValue, Limits};

use crate::kernel_files::KernelFiles;

/// A limit that the kernel sets to all processes, by its name to `sysctl`.
#[derive(Clone, Copy)]
pub(crate) struct KernelLimit(pub(crate) &'static str);

impl KernelLimit {
    /// On the threads of the machine, on the id of a process or thread, and on the memory mappings of a process.
    pub(crate) const ALL: [KernelLimit; 3] = [
        KernelLimit("kernel.threads-max"),
        KernelLimit("kernel.pid_max"),
        KernelLimit("vm.max_map_count"),
    ];

    /// The last part of its name, by which it is known.
    pub(crate) fn name(self) -> &'static str {
        self.0.rsplit('.').next().unwrap_or_default()
    }

    pub(crate) fn read(self, files: &KernelFiles) -> Option<u64> {
        files.sysctl(self.0)
    }
}

/// The soft limits of this process; `None` is no limit.
#[derive(Default)]
pub(crate) struct ProcessLimits {
    /// Files that are open at once.
    pub(crate) open_files: Option<u64>,
    /// Memory that may not be swapped, in bytes.
    pub(crate) locked_memory: Option<u64>,
    /// Processes and threads of its user.
    pub(crate) processes: Option<u64>,
    /// Addresses that it may map, in bytes.
    pub(crate) address_space: Option<u64>,
    /// The stack of its first thread, in bytes.
    pub(crate) stack: Option<u64>,
}

impl ProcessLimits {
    pub(crate) fn read(files: &KernelFiles) -> Option<ProcessLimits> {
        let limits: Limits = files.parsed("/proc/self/limits")?;
        let soft = |limit: Limit| match limit.soft_limit {
            LimitValue::Unlimited => None,
            LimitValue::Value(value) => Some(value),
        };
        Some(ProcessLimits {
            open_files: soft(limits.max_open_files),
            locked_memory: soft(limits.max_locked_memory),
            processes: soft(limits.max_processes),
            address_space: soft(limits.max_address_space),
            stack: soft(limits.max_stack_size),
        })
    }
}

/// A limit as `ulimit` prints it.
pub(crate) fn in_words(limit: Option<u64>) -> String {
    limit.map_or_else(|| "unlimited".to_owned(), |limit| limit.to_string())
}

/// Lets this process, and those that it starts, have as many files open as the
/// hard limit allows. The soft one is often 1,024, for the sake of programs that
/// wait by `select`, which none here does.
pub fn raise_file_limit() {
    #[cfg(target_os = "linux")]
    {
        use nix::sys::resource::{getrlimit, setrlimit, Resource};
        if let Ok((_, hard)) = getrlimit(Resource::RLIMIT_NOFILE) {
            // If it is refused, `room_for_files` tells what lacks.
            let _ = setrlimit(Resource::RLIMIT_NOFILE, hard, hard);
        }
    }
}

/// Whether so many more files can be open at once.
///
/// Fails if not, the limit and what to do. What cannot be read is taken for no limit.
pub fn room_for_files(files: u64) -> Result<(), String> {
    files_fit(&KernelFiles::of_this_computer(), files)
}

fn files_fit(kernel: &KernelFiles, files: u64) -> Result<(), String> {
    // The rest of the program has some, too.
    const OTHERS: u64 = 200;
    let needed = files + OTHERS;
    match ProcessLimits::read(kernel).and_then(|limits| limits.open_files) {
        Some(limit) if limit < needed => Err(format!(
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
    fn files_that_do_not_fit_are_refused_with_the_way_to_have_more() {
        let fit = |limit, files| {
            let limits = process_limits([limit, "unlimited", "unlimited"]);
            files_fit(&made(&limits).1, files)
        };
        assert_eq!(fit("1024", 824), Ok(()));
        assert_eq!(fit("unlimited", 1 << 40), Ok(()));
        let reason = fit("1024", 825).unwrap_err();
        assert!(reason.ends_with("1024 may be open: ulimit -n 1025"), "{reason}");
        // What is not known is no limit.
        assert_eq!(files_fit(&made("").1, 1 << 40), Ok(()));
    }
}
