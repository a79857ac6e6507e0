//! Batches in which threads, tasks or connections are started.

/// The size of a batch. Waiting for each batch keeps queues short, as if the
/// threads or connections had come one by one, but without a wait for each.
/// The kernel's queue for one of `std`'s listeners holds twice as many
/// connections.
const AT_ONCE: u64 = 64;

/// Returns the sizes of the batches into which `all` threads or connections
/// are split.
pub(crate) fn batches(all: u64) -> impl Iterator<Item = u64> {
    let begins = (0..all).step_by(AT_ONCE as usize);
    begins.map(move |begun| AT_ONCE.min(all - begun))
}
