//! Creates Monoio runtimes on rings with chosen settings.

use monoio::{IoUringDriver, RuntimeBuilder};

/// The moment at which an io_uring delivers completions to its thread. Corresponds to
/// `TaskRunning`, which other runtimes use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completions {
    /// Delivers completions at once, by interrupting the thread. This is the default.
    Interrupt,
    /// Delivers completions when the thread next enters the kernel.
    Cooperate,
    /// Delivers completions when the thread waits for them.
    Wait,
}

/// Returns the builder of a runtime whose ring has `entries` entries and is for one thread. The
/// ring is built with io-uring 0.6, the version that Monoio uses.
pub fn builder(entries: u32, completions: Completions) -> RuntimeBuilder<IoUringDriver> {
    let mut ring = io_uring::IoUring::builder();
    match completions {
        Completions::Interrupt => {}
        Completions::Cooperate => drop(ring.setup_single_issuer().setup_coop_taskrun()),
        Completions::Wait => drop(ring.setup_single_issuer().setup_defer_taskrun()),
    }
    RuntimeBuilder::<IoUringDriver>::new().uring_builder(ring).with_entries(entries)
}
