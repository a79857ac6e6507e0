//! Hashes a key. Every byte of the key goes through `black_box`, and so does
//! the hash.

use std::hint::black_box;

const KEY: &[u8; 64] =
    b"https://example.org/threads-tasks-and-cores/how-benchmarks-lie/1";
const BASIS: u64 = 0xcbf2_9ce4_8422_2325;

/// Hashes the key. The optimiser does not know the key.
#[inline(never)]
pub fn hash_key() -> u64 {
    black_box(KEY.iter().copied().map(black_box).fold(BASIS, step))
}

/// One step of FNV-1a.
fn step(hash: u64, byte: u8) -> u64 {
    (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
}
