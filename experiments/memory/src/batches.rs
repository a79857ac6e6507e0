//! Units that are started side by side.

/// How many are started before it is waited until all of them wait: so no queue grows
/// that would not be there if they had come one by one, and there is not one wait for
/// each. The kernel keeps twice as many connections for a listener of `std`'s.
const AT_ONCE: u64 = 64;

/// How large each of the batches is in which so many are started.
pub(crate) fn batches(all: u64) -> impl Iterator<Item = u64> {
    let begins = (0..all).step_by(AT_ONCE as usize);
    begins.map(move |begun| AT_ONCE.min(all - begun))
}
