//! The loop of the honest benchmark, but without the hashing.

use std::hint::black_box;

const KEY: &[u8; 64] =
    b"https://example.org/threads-tasks-and-cores/how-benchmarks-lie/1";

/// Loops over the bytes of the key, and hashes nothing.
#[inline(never)]
pub fn walk_key() {
    KEY.iter().copied().map(black_box).for_each(drop);
}
