//! Monoio on a ring with chosen settings.

use monoio::{IoUringDriver, RuntimeBuilder};

/// When a ring delivers completions. Corresponds to `TaskRunning` of other rings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completions {
    /// At once, by an interrupt: the default.
    Interrupt,
    /// When the thread next enters the kernel.
    Cooperate,
    /// When the thread asks for completions.
    Wait,
}

/// Returns the builder of a runtime with a ring for one thread, with `entries` entries. The ring's
/// builder comes from io-uring 0.6, the version that Monoio uses.
pub fn builder(entries: u32, completions: Completions) -> RuntimeBuilder<IoUringDriver> {
    let mut ring = io_uring::IoUring::builder();
    match completions {
        Completions::Interrupt => {}
        Completions::Cooperate => drop(ring.setup_single_issuer().setup_coop_taskrun()),
        Completions::Wait => drop(ring.setup_single_issuer().setup_defer_taskrun()),
    }
    RuntimeBuilder::<IoUringDriver>::new().uring_builder(ring).with_entries(entries)
}
