//! Hashes a key repeatedly, each time starting from the previous hash.

use std::hint::black_box;

const KEY: &[u8; 64] =
    b"https://example.org/threads-tasks-and-cores/how-benchmarks-lie/1";

/// Hashes the key, starting from `hash`. The optimiser doesn't know the key,
/// and the processor can't start until it knows `hash`.
#[inline(never)]
pub fn hash_key(hash: u64) -> u64 {
    KEY.iter().copied().map(black_box).fold(hash, step)
}

/// One step of FNV-1a.
fn step(hash: u64, byte: u8) -> u64 {
    (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
}
