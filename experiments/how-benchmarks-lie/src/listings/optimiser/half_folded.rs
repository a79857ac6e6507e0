//! Hashes a constant key. The hash goes through `black_box`, but the key does
//! not.

use std::hint::black_box;

const KEY: &[u8; 64] =
    b"https://example.org/threads-tasks-and-cores/how-benchmarks-lie/1";
const BASIS: u64 = 0xcbf2_9ce4_8422_2325;

/// Hashes the key. The optimiser knows the key at compile time.
#[inline(never)]
pub fn hash_key() -> u64 {
    black_box(KEY.iter().copied().fold(BASIS, step))
}

/// One step of FNV-1a.
fn step(hash: u64, byte: u8) -> u64 {
    (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
}
