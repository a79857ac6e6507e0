//! Stalls of a core, and how they delay messages that arrive in the meantime.

use std::time::Duration;

use hdrhistogram::Histogram;

/// A stall of a core: from one reading of the clock to the next, in nanoseconds
/// since the beginning of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stall {
    pub(super) start: u64,
    pub(super) end: u64,
    /// The part of the stall during which our thread ran, according to the
    /// kernel. During that time the core wasn't given to another thread and,
    /// as far as the kernel knows, wasn't taken by the host.
    pub(super) unseen: u64,
}

/// The interval between evenly spaced messages, in nanoseconds. On average,
/// they wait as long as messages that are sent at random times.
const APART: u64 = 1_000;

impl Stall {
    fn length(&self) -> u64 {
        self.end - self.start
    }
}

/// Merges the stalls of two cores. Overlapping stalls become one.
pub(super) fn of_either(one: &[Stall], other: &[Stall]) -> Vec<Stall> {
    let mut all = [one, other].concat();
    all.sort_unstable_by_key(|stall| stall.start);
    let mut merged: Vec<Stall> = Vec::with_capacity(all.len());
    for stall in all {
        match merged.last_mut() {
            Some(last) if stall.start < last.end => {
                last.end = last.end.max(stall.end);
                // The sum is limited to the stall's length, since the unseen
                // parts on the two cores may overlap.
                last.unseen = (last.unseen + stall.unseen).min(last.length());
            }
            _ => merged.push(stall),
        }
    }
    merged
}

/// Returns the share of the window of time during which a core stalled.
pub(super) fn share_in(stalls: &[Stall], window: Duration) -> f64 {
    share_of(stalls.iter().map(Stall::length), window)
}

/// Returns the share of the measurement window during which a core stalled
/// without a cause that the kernel knows of.
pub(super) fn unseen_share_in(stalls: &[Stall], window: Duration) -> f64 {
    share_of(stalls.iter().map(|stall| stall.unseen), window)
}

fn share_of(parts: impl Iterator<Item = u64>, window: Duration) -> f64 {
    parts.sum::<u64>() as f64 / window.as_nanos() as f64
}

/// Returns how long messages wait that arrive at random times in the window,
/// if answering takes no time. A message in a stall waits until the stall's
/// end; any other waits until the next reading of the clock, which is at most
/// `step` nanoseconds away.
pub(super) fn waits(
    stalls: &[Stall],
    step: u64,
    window: Duration,
) -> Histogram<u64> {
    let mut waits = Histogram::new(2).expect("two digits are possible");
    let all = window.as_nanos() as u64 / APART;
    let mut stalled = 0;
    for stall in stalls {
        let come = stall.length() / APART;
        for wait in (0..come).map(|place| stall.length() - place * APART) {
            waits.record(wait.max(step)).expect("it grows");
        }
        stalled += come;
    }
    let others = all.saturating_sub(stalled);
    waits.record_n(step.max(1), others).expect("it grows");
    waits
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn stall(start: u64, end: u64) -> Stall {
        Stall { start, end, unseen: end - start }
    }

    /// A tenth of the messages that arrive during a stall wait for more than
    /// nine tenths of the stall's length.
    #[test]
    fn whoever_comes_in_a_stall_waits_for_its_end() {
        let waits = waits(&[stall(0, 10_000_000)], 40, SECOND);
        assert_eq!(waits.len(), 1_000_000);
        let near = |share, expected: u64| {
            let found = waits.value_at_quantile(share);
            assert!(found.abs_diff(expected) <= expected / 50, "{found}");
        };
        near(0.5, 40);
        near(0.989, 40);
        near(0.999, 9_000_000);
        near(0.995, 5_000_000);
        near(1.0, 10_000_000);
    }

    #[test]
    fn cores_that_stand_still_together_make_one_stall() {
        let one = [stall(10, 20), stall(50, 60)];
        let other = [stall(15, 30), stall(30, 40), stall(52, 55)];
        let ends = of_either(&one, &other).into_iter();
        let ends: Vec<_> = ends.map(|s| (s.start, s.end)).collect();
        assert_eq!(ends, [(10, 30), (30, 40), (50, 60)]);
        assert!(of_either(&one, &other).iter().all(|s| s.unseen <= s.length()));
    }

    #[test]
    fn shares_are_of_the_window() {
        let seen = Stall { unseen: 0, ..stall(3_000_000, 5_000_000) };
        let stalls = [stall(0, 500_000), seen];
        assert_eq!(share_in(&stalls, SECOND), 0.0025);
        assert_eq!(unseen_share_in(&stalls, SECOND), 0.0005);
    }
}
