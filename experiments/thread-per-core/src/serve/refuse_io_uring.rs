//! Forbids the use of io_uring, as many containers do.

use nix::libc::{c_long, SYS_io_uring_setup, EPERM};
use seccompiler::{
    apply_filter, BackendError, BpfProgram, SeccompAction, SeccompFilter,
};

/// Makes the kernel refuse to create an io_uring, for this thread and all
/// that it starts, forever. The system call fails with `EPERM`, as in
/// Docker's containers.
///
/// # Errors
///
/// If such a filter isn't possible here. The error is the reason.
pub(super) fn refuse_io_uring() -> Result<(), String> {
    let program = filter(SYS_io_uring_setup).map_err(|e| e.to_string())?;
    apply_filter(&program).map_err(|error| {
        format!("io_uring cannot be refused by a seccomp filter: {error}")
    })
}

/// Returns a filter that refuses one system call, given by its number.
fn filter(call: c_long) -> Result<BpfProgram, BackendError> {
    SeccompFilter::new(
        [(call, Vec::new())].into(),
        SeccompAction::Allow,
        SeccompAction::Errno(EPERM.unsigned_abs()),
        std::env::consts::ARCH.try_into()?,
    )?
    .try_into()
}
