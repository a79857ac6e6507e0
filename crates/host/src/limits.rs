//! The limits of this process.

use procfs_core::process::{Limit, LimitValue, Limits};

use crate::kernel_files::KernelFiles;

/// One of this process's soft limits; `None` if it has none, or is not told.
pub(crate) fn soft_limit(files: &KernelFiles, of: fn(Limits) -> Limit) -> Option<u64> {
    match of(files.parsed("/proc/self/limits")?).soft_limit {
        LimitValue::Unlimited => None,
        LimitValue::Value(value) => Some(value),
    }
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
