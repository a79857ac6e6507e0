//! The resource limits of this process.

use procfs_core::process::{Limit, LimitValue, Limits};

use crate::kernel_files::KernelFiles;

/// Returns one of this process's soft limits; `None` if there is no limit, or if the limit is not
/// known.
pub(crate) fn soft_limit(files: &KernelFiles, of: fn(Limits) -> Limit) -> Option<u64> {
    match of(files.parsed("/proc/self/limits")?).soft_limit {
        LimitValue::Unlimited => None,
        LimitValue::Value(value) => Some(value),
    }
}

/// Raises the limit on open files to the hard limit, for this process and its children. The soft
/// limit is often only 1,024, to protect programs that wait with `select`. Ours don't use
/// `select`.
pub fn raise_file_limit() {
    #[cfg(target_os = "linux")]
    {
        use nix::sys::resource::{getrlimit, setrlimit, Resource};
        if let Ok((_, hard)) = getrlimit(Resource::RLIMIT_NOFILE) {
            // If raising the limit fails, `room_for_files` reports it later.
            let _ = setrlimit(Resource::RLIMIT_NOFILE, hard, hard);
        }
    }
}
