//! When the kernel completes what a ring was asked for.

/// When the kernel completes what a ring was asked for, in the thread that asked. Which of the three a ring has
/// is said when it is built; the last two are for rings that one thread uses.
#[derive(Debug, Clone, Copy)]
pub(crate) enum TaskRunning {
    /// As soon as it can: another core interrupts the thread's. A ring is so unless told otherwise.
    Interrupting,
    /// When the thread enters the kernel next, for whatever reason (`IORING_SETUP_COOP_TASKRUN`).
    Cooperative,
    /// When the thread asks the ring for completions (`IORING_SETUP_DEFER_TASKRUN`).
    Deferred,
}
