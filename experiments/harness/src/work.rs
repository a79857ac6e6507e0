//! Work that keeps a core busy for a given time.

use std::hint::black_box;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// Computes `rounds` rounds of arithmetic. Each round depends on the previous
/// one. An unoptimised build only checks answers, and no answer depends on
/// the rounds, so it computes only a hundredth of them.
pub fn work(rounds: u64) {
    let rounds = if cfg!(debug_assertions) { rounds / 100 } else { rounds };
    let round = |state: u64, round: u64| {
        let mixed = state ^ round.wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let state = mixed.rotate_left(13).wrapping_mul(0x94D0_49BB_1331_11EB);
        state ^ (state >> 17)
    };
    black_box((0..black_box(rounds)).fold(1, round));
}

/// Returns how many rounds of arithmetic take `time` on an otherwise idle
/// core. In an unoptimised build, which computes fewer rounds, the value is
/// only rough.
pub fn rounds_in(time: Duration) -> u64 {
    (time.as_secs_f64() / *ROUND_SECONDS).round() as u64
}

/// How long a round of arithmetic takes, in seconds. It is measured once per
/// process, as the fastest of many attempts, because that one was disturbed
/// least.
static ROUND_SECONDS: LazyLock<f64> = LazyLock::new(|| {
    const TRIES: u64 = 100;
    const ROUNDS: u64 = 20_000;
    if cfg!(debug_assertions) {
        return 1e-9;
    }
    let once = |_| {
        let start = Instant::now();
        work(ROUNDS);
        start.elapsed()
    };
    let least = (0..TRIES).map(once).min().expect("there are tries");
    least.as_secs_f64() / ROUNDS as f64
});
