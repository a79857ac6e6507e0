//! Takes io_uring away, as many containers do.

use nix::libc::{c_long, SYS_io_uring_setup, EPERM};
use seccompiler::{
    apply_filter, BackendError, BpfProgram, SeccompAction, SeccompFilter,
};

/// Has the kernel refuse to set up a ring, to this thread and to all that it
/// starts, for ever: the call fails with `EPERM`, as in Docker's containers.
///
/// # Errors
///
/// If no such filter can be had here, with the reason.
pub(super) fn refuse_io_uring() -> Result<(), String> {
    let program = filter(SYS_io_uring_setup).map_err(|e| e.to_string())?;
    apply_filter(&program).map_err(|error| {
        format!("io_uring cannot be refused by a seccomp filter: {error}")
    })
}

/// A filter that refuses one system call.
fn filter(call: c_long) -> Result<BpfProgram, BackendError> {
    SeccompFilter::new(
        [(call, Vec::new())].into(),
        SeccompAction::Allow,
        SeccompAction::Errno(EPERM.unsigned_abs()),
        std::env::consts::ARCH.try_into()?,
    )?
    .try_into()
}
