//! How much a core gets done, asked for a moment between visits. Whoever
//! computes on the other hardware thread of our core takes from it, and the
//! kernel sees neither load nor steal: in a virtual machine it does not even know
//! that there is another thread.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Chains of arithmetic that do not wait for each other: as much as a core can do
/// at once, in vectors if the compiler likes.
const CHAINS: usize = 8;
/// Some microseconds.
const STEPS: u64 = 2_000;
/// The fastest of so many counts: the others may have been interrupted.
const TRIES: usize = 3;
/// A core is slowed that takes so many times as long as at its best.
const SLOWED: f64 = 1.25;

/// How long a core takes for this, now.
pub(crate) fn probe() -> Duration {
    let once = |_| {
        let start = Instant::now();
        black_box(chains(STEPS));
        start.elapsed()
    };
    (0..TRIES).map(once).min().unwrap_or_default()
}

/// So many steps of each chain; what all come to.
pub(crate) fn chains(steps: u64) -> u64 {
    let mut chains: [u64; CHAINS] = std::array::from_fn(|of| of as u64 + 1);
    for _ in 0..black_box(steps) {
        for x in &mut chains {
            *x = xorshift(*x);
        }
    }
    chains.into_iter().fold(0, |all, chain| all ^ chain)
}

/// A step of arithmetic that waits for the last one (xorshift64).
pub(crate) fn xorshift(mut x: u64) -> u64 {
    x ^= x << 13;
    x ^= x >> 7;
    x ^ (x << 17)
}

/// The share of each round's probes that were slowed, 0 to 1; none for a round
/// without probes. The best is what one in a hundred of the run's probes reaches.
pub(crate) fn slowed(rounds: &[Vec<Duration>]) -> Vec<Option<f64>> {
    let mut all = rounds.concat();
    all.sort_unstable();
    let best = all.get(all.len() / 100).copied().unwrap_or_default();
    let share = |round: &Vec<Duration>| {
        let slowed = round.iter().filter(|&&took| took > best.mul_f64(SLOWED));
        let share = slowed.count() as f64 / round.len() as f64;
        (!round.is_empty()).then_some(share)
    };
    rounds.iter().map(share).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_longer_than_the_best_is_slowed() {
        let microseconds = |round: &[u64]| {
            round.iter().map(|&us| Duration::from_micros(us)).collect()
        };
        let rounds = [
            microseconds(&[10, 11, 12]),
            microseconds(&[10, 16, 17, 16]),
            microseconds(&[]),
        ];
        assert_eq!(slowed(&rounds), [Some(0.0), Some(0.75), None]);
        assert_eq!(slowed(&[]), []);
    }

    #[test]
    fn one_lucky_probe_in_hundreds_is_not_the_best() {
        let mut round = vec![Duration::from_micros(10); 300];
        round.push(Duration::from_micros(1));
        assert_eq!(slowed(&[round]), [Some(0.0)]);
    }

    #[test]
    fn each_chain_goes_its_way() {
        let alone = |of: u64, steps: u64| {
            (0..steps).fold(of, |x, _| {
                let x = x ^ (x << 13);
                let x = x ^ (x >> 7);
                x ^ (x << 17)
            })
        };
        let all = |steps| (1..=8).fold(0, |all, of| all ^ alone(of, steps));
        assert_eq!(chains(0), all(0));
        assert_eq!(chains(3), all(3));
    }
}
