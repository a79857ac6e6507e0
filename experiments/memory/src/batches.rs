//! Starting units in batches.

/// The size of a batch. Waiting for each batch keeps queues as short as if
/// units had come one by one, without a wait for each unit. The kernel's queue
/// for one of `std`'s listeners has twice as many connections.
const AT_ONCE: u64 = 64;

/// Returns the sizes of the batches for `all` units.
pub(crate) fn batches(all: u64) -> impl Iterator<Item = u64> {
    let begins = (0..all).step_by(AT_ONCE as usize);
    begins.map(move |begun| AT_ONCE.min(all - begun))
}
