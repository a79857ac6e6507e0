//! The probe: a fixed piece of work that shows how fast a core computes right now. It runs before
//! and after each sample, on the timed thread. If a program runs on the other hardware thread of
//! our core, the core is slower, but the kernel sees neither load nor steal: a virtual machine
//! doesn't even know that the other thread exists.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// The number of independent chains of arithmetic. These are enough to keep a core busy, even if
/// the compiler uses vector instructions.
const CHAINS: usize = 8;
/// The number of steps per chain. All steps together take a few microseconds.
const STEPS: u64 = 2_000;
/// The number of tries. The fastest try is used, since others may have been interrupted.
const TRIES: usize = 3;

/// Returns how long the probe's work takes on the current core right now.
pub fn probe() -> Duration {
    let once = |_| {
        let start = Instant::now();
        black_box(chains(STEPS));
        start.elapsed()
    };
    (0..TRIES).map(once).min().unwrap_or_default()
}

/// Computes `steps` steps of each chain, and returns a combination of the results.
pub fn chains(steps: u64) -> u64 {
    let mut chains: [u64; CHAINS] = std::array::from_fn(|of| of as u64 + 1);
    for _ in 0..black_box(steps) {
        for x in &mut chains {
            *x = xorshift(*x);
        }
    }
    chains.into_iter().fold(0, |all, chain| all ^ chain)
}

/// Computes the next number of a chain from the previous one (xorshift64).
#[inline]
pub fn xorshift(mut x: u64) -> u64 {
    x ^= x << 13;
    x ^= x >> 7;
    x ^ (x << 17)
}
