//! The setting of an io_uring that decides when the kernel completes operations.

/// The moment at which the kernel completes the operations of an io_uring, on the thread that
/// submitted them. It is set when the ring is created. `Cooperative` and `Deferred` are for rings
/// that only one thread uses.
#[derive(Debug, Clone, Copy)]
pub(crate) enum TaskRunning {
    /// Completes operations as soon as possible, by interrupting the thread. This is the default.
    Interrupting,
    /// Completes operations when the thread next enters the kernel for any reason
    /// (`IORING_SETUP_COOP_TASKRUN`).
    Cooperative,
    /// Completes operations when the thread asks the ring for completions
    /// (`IORING_SETUP_DEFER_TASKRUN`).
    Deferred,
}
