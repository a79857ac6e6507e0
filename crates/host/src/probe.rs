//! How much a core gets done, asked around each sample, on the thread that is
//! timed. Whoever computes on the other hardware thread of our core takes from it,
//! and the kernel sees neither load nor steal: in a virtual machine it does not
//! even know that there is another thread.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Chains of arithmetic that do not wait for each other: as much as a core can do
/// at once, in vectors if the compiler likes.
const CHAINS: usize = 8;
/// Some microseconds.
const STEPS: u64 = 2_000;
/// The fastest of so many counts: the others may have been interrupted.
const TRIES: usize = 3;

/// How long a core takes for this, now.
pub fn probe() -> Duration {
    let once = |_| {
        let start = Instant::now();
        black_box(chains(STEPS));
        start.elapsed()
    };
    (0..TRIES).map(once).min().unwrap_or_default()
}

/// So many steps of each chain; what all come to.
pub fn chains(steps: u64) -> u64 {
    let mut chains: [u64; CHAINS] = std::array::from_fn(|of| of as u64 + 1);
    for _ in 0..black_box(steps) {
        for x in &mut chains {
            *x = xorshift(*x);
        }
    }
    chains.into_iter().fold(0, |all, chain| all ^ chain)
}

/// A step of arithmetic that waits for the last one (xorshift64).
#[inline]
pub fn xorshift(mut x: u64) -> u64 {
    x ^= x << 13;
    x ^= x >> 7;
    x ^ (x << 17)
}
