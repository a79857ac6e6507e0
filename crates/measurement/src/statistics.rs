//! Medians, paired ratios and their intervals.
//!
//! Points come in (process, round) order, and equally many from each process. Rounds of one process
//! resemble each other more than rounds of two, so the bootstrap draws processes first, then rounds
//! within each.

use fastrand::Rng;

/// How often the bootstrap resamples.
const RESAMPLES: usize = 2_000;

/// An estimate with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The estimate.
    pub estimate: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Interval {
    /// The interval with both ends moved outwards by a factor of `1 + floor`: a ratio together with
    /// what identical contenders differ by.
    pub fn widened(self, floor: f64) -> Interval {
        Interval { low: self.low / (1.0 + floor), high: self.high * (1.0 + floor), ..self }
    }
}

/// The median: the middle value, or the mean of the two middle ones.
///
/// # Panics
///
/// If there are no values.
pub fn median(values: &[f64]) -> f64 {
    median_of(&mut values.to_vec())
}

fn median_of(values: &mut [f64]) -> f64 {
    let middle = values.len() / 2;
    let (_, upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    let upper = *upper;
    if values.len() % 2 == 1 {
        return upper;
    }
    let lower = below_max(&values[..middle]);
    lower + (upper - lower) / 2.0
}

fn below_max(values: &[f64]) -> f64 {
    values.iter().copied().max_by(f64::total_cmp).expect("an even count has a lower half")
}

/// The median of points taken in `processes` processes, with its interval.
///
/// # Panics
///
/// If there are no points, or not equally many from each process.
pub fn median_interval(points: &[f64], processes: usize) -> Interval {
    assert!(
        processes > 0 && points.len().is_multiple_of(processes),
        "not equally many points a process"
    );
    let by_process: Vec<&[f64]> = points.chunks(points.len() / processes).collect();
    bootstrap(&by_process)
}

/// The ratio `numerator / denominator` of two contenders that were visited in the same rounds: the
/// median of the ratios within each round, with its interval. Where one has fewer rounds a process,
/// the rounds that both have count. `None` if a denominator is not above zero.
pub fn paired_ratio(numerator: &[f64], denominator: &[f64], processes: usize) -> Option<Interval> {
    let rounds = |points: &[f64]| points.len() / processes;
    let (rounds_n, rounds_d) = (rounds(numerator), rounds(denominator));
    let common = rounds_n.min(rounds_d);
    let mut logs = Vec::with_capacity(common * processes);
    for process in 0..processes {
        for round in 0..common {
            let n = numerator[process * rounds_n + round];
            let d = denominator[process * rounds_d + round];
            if n <= 0.0 || d <= 0.0 {
                return None;
            }
            logs.push((n / d).ln());
        }
    }
    if logs.is_empty() {
        return None;
    }
    let Interval { estimate, low, high } = median_interval(&logs, processes);
    Some(Interval { estimate: estimate.exp(), low: low.exp(), high: high.exp() })
}

fn bootstrap(by_process: &[&[f64]]) -> Interval {
    // The same data give the same interval, on every machine.
    let mut rng = Rng::with_seed(0);
    let estimate = median(&by_process.concat());
    let mut sample = Vec::with_capacity(by_process.iter().map(|rounds| rounds.len()).sum());
    let mut medians: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            sample.clear();
            for _ in by_process {
                let rounds = by_process[rng.usize(..by_process.len())];
                sample.extend(rounds.iter().map(|_| rounds[rng.usize(..rounds.len())]));
            }
            median_of(&mut sample)
        })
        .collect();
    medians.sort_by(f64::total_cmp);
    let quantile = |q: f64| medians[(q * (RESAMPLES - 1) as f64).round() as usize];
    Interval { estimate, low: quantile(0.025).min(estimate), high: quantile(0.975).max(estimate) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_median_is_the_middle() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), 2.5);
        assert_eq!(median(&[7.0]), 7.0);
    }

    #[test]
    fn drift_that_both_share_does_not_widen_a_paired_ratio() {
        let drifting: Vec<f64> = (0..15).map(|round| 100.0 + 10.0 * round as f64).collect();
        let twice: Vec<f64> = drifting.iter().map(|value| 2.0 * value).collect();
        let ratio = paired_ratio(&twice, &drifting, 3).unwrap();
        assert!((ratio.low - 2.0).abs() < 1e-9 && (ratio.high - 2.0).abs() < 1e-9, "{ratio:?}");
    }

    #[test]
    fn fewer_rounds_pair_with_the_first_ones() {
        // 2 processes: of 3 rounds and of 1.
        let many = [10.0, 99.0, 99.0, 20.0, 99.0, 99.0];
        let few = [5.0, 10.0];
        assert_eq!(paired_ratio(&many, &few, 2).unwrap().estimate, 2.0);
    }

    #[test]
    fn processes_that_disagree_widen_the_interval() {
        let agreeing = [1.0, 2.0, 3.0].repeat(30);
        let disagreeing = [[1.0; 30], [2.0; 30], [3.0; 30]].concat();
        let width = |points: &[f64]| {
            let interval = median_interval(points, 3);
            interval.high - interval.low
        };
        assert_eq!(width(&agreeing), 0.0);
        assert_eq!(width(&disagreeing), 2.0);
    }

    #[test]
    fn a_zero_has_no_ratio() {
        assert_eq!(paired_ratio(&[1.0, 1.0], &[1.0, 0.0], 1), None);
    }

    proptest! {
        #[test]
        fn an_interval_holds_its_estimate_and_stays_within_the_points(
            points in proptest::collection::vec(0.0..1e9f64, 6..60),
        ) {
            let interval = median_interval(&points, 1);
            let min = points.iter().copied().fold(f64::INFINITY, f64::min);
            let max = points.iter().copied().fold(0.0, f64::max);
            prop_assert!(min <= interval.low && interval.low <= interval.estimate);
            prop_assert!(interval.estimate <= interval.high && interval.high <= max);
        }

        #[test]
        fn a_ratio_turned_around_is_its_inverse(
            a in proptest::collection::vec(1.0..1e6f64, 12),
            b in proptest::collection::vec(1.0..1e6f64, 12),
        ) {
            let ratio = paired_ratio(&a, &b, 3).unwrap();
            let inverse = paired_ratio(&b, &a, 3).unwrap();
            prop_assert!((ratio.estimate * inverse.estimate - 1.0).abs() < 1e-9);
        }
    }
}
