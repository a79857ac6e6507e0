//! When the kernel completes the operations of a ring.

/// When the kernel completes the operations of a ring, on the thread that submitted them. This is
/// set when the ring is created. The last two variants are for rings that only one thread uses.
#[derive(Debug, Clone, Copy)]
pub(crate) enum TaskRunning {
    /// As soon as possible: another core interrupts the thread. This is the default.
    Interrupting,
    /// When the thread next enters the kernel, for whatever reason (`IORING_SETUP_COOP_TASKRUN`).
    Cooperative,
    /// When the thread asks the ring for completions (`IORING_SETUP_DEFER_TASKRUN`).
    Deferred,
}
