//! Monoio on a ring that is set up by who starts it.

use monoio::{IoUringDriver, RuntimeBuilder};

/// When completions are taken in, where that is not the default: as `TaskRunning` of other rings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completions {
    /// As they come, by an interrupt: the default.
    Interrupt,
    /// When the thread enters the kernel next.
    Cooperate,
    /// When the thread asks for them.
    Wait,
}

/// A runtime with a ring for one thread, of this many entries. The ring's builder is of io-uring 0.6, which
/// is what Monoio takes.
pub fn builder(entries: u32, completions: Completions) -> RuntimeBuilder<IoUringDriver> {
    let mut ring = io_uring::IoUring::builder();
    match completions {
        Completions::Interrupt => {}
        Completions::Cooperate => drop(ring.setup_single_issuer().setup_coop_taskrun()),
        Completions::Wait => drop(ring.setup_single_issuer().setup_defer_taskrun()),
    }
    RuntimeBuilder::<IoUringDriver>::new().uring_builder(ring).with_entries(entries)
}
