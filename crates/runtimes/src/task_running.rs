//! The setting of an io_uring that decides when the kernel completes operations.

/// When the kernel completes the operations of an io_uring, on the thread that submitted them.
/// This is set when the ring is created. `Cooperative` and `Deferred` are for rings that only one
/// thread uses.
#[derive(Debug, Clone, Copy)]
pub(crate) enum TaskRunning {
    /// As soon as possible, by an interrupt to the thread. The default.
    Interrupting,
    /// When the thread next enters the kernel for any reason (`IORING_SETUP_COOP_TASKRUN`).
    Cooperative,
    /// When the thread asks the ring for completions (`IORING_SETUP_DEFER_TASKRUN`).
    Deferred,
}
