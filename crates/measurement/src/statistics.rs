//! Medians, paired ratios and their intervals.
//!
//! Points come in (process, round) order, and equally many from each process. Rounds of one process
//! resemble each other more than rounds of two, so the bootstrap draws processes first, then rounds
//! within each.

use std::collections::BTreeMap;

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

    /// The interval without what the figure cannot be: less than `least`, or more than `most`. An estimate
    /// that lies there stays, and the interval ends at it.
    pub fn within(self, least: f64, most: f64) -> Interval {
        let Interval { estimate, low, high } = self;
        let can_be = |end: f64| end.clamp(least.min(estimate), most.max(estimate));
        Interval { estimate, low: can_be(low), high: can_be(high) }
    }
}

/// The median: the middle value, or the mean of the two middle ones.
///
/// # Panics
///
/// If there are no values.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    median_of_sorted(&sorted)
}

fn median_of_sorted(sorted: &[f64]) -> f64 {
    halfway(sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2])
}

/// The median of values, each taken as often as counted.
fn median_of_counted(sorted: &[f64], counts: &[usize]) -> f64 {
    let all: usize = counts.iter().sum();
    let mut lower = None;
    let mut taken = 0;
    for (value, count) in sorted.iter().zip(counts) {
        taken += count;
        if taken > (all - 1) / 2 {
            lower.get_or_insert(*value);
        }
        if taken > all / 2 {
            return halfway(lower.unwrap_or(*value), *value);
        }
    }
    unreachable!("the counts add up to all")
}

fn halfway(lower: f64, upper: f64) -> f64 {
    lower + (upper - lower) / 2.0
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

/// In which rounds of a process a cell is visited that gets `visits` of them, in order: spread over
/// the process, other ones in each process, and so that fewer visits are a part of more, whatever
/// the cells. Processes count from 0.
pub fn rounds_visited(visits: usize, rounds: usize, process: usize) -> Vec<usize> {
    // 0, 4, 2, 1, 3 for five rounds: in the order of their binary digits read backwards.
    let mut order: Vec<usize> = (0..rounds).collect();
    order.sort_by_key(|round| round.reverse_bits());
    order.truncate(visits);
    let mut visited: Vec<usize> = order.iter().map(|round| (round + process) % rounds).collect();
    visited.sort_unstable();
    visited
}

/// The points of two rows within each round that both were visited in, in (process, round) order, for
/// a run of `rounds` rounds in each of `processes` processes.
pub fn pairs(left: &[f64], right: &[f64], processes: usize, rounds: usize) -> Vec<(f64, f64)> {
    let by_process = |points: &[f64]| -> Vec<BTreeMap<usize, f64>> {
        let visits = points.len() / processes;
        let of_process = |(process, points): (usize, &[f64])| {
            let visited = rounds_visited(visits, rounds.max(visits), process);
            visited.into_iter().zip(points.iter().copied()).collect()
        };
        points.chunks(visits.max(1)).enumerate().map(of_process).collect()
    };
    let both = by_process(left).into_iter().zip(by_process(right));
    both.flat_map(|(left, right)| {
        let pair = |(round, left)| Some((left, *right.get(&round)?));
        left.into_iter().filter_map(pair).collect::<Vec<_>>()
    })
    .collect()
}

/// The ratios `numerator / denominator` within each round that both contenders were visited in, see
/// [`pairs`]. `None` if a value is not above zero or there is no such round.
pub fn paired_ratios(
    numerator: &[f64],
    denominator: &[f64],
    processes: usize,
    rounds: usize,
) -> Option<Vec<f64>> {
    let pairs = pairs(numerator, denominator, processes, rounds);
    let ratio = |&(n, d): &(f64, f64)| (n > 0.0 && d > 0.0).then(|| n / d);
    let ratios: Vec<f64> = pairs.iter().map(ratio).collect::<Option<_>>()?;
    (!ratios.is_empty()).then_some(ratios)
}

/// The median of paired ratios with its interval, both found among their logarithms, so that a ratio
/// and its inverse tell the same.
pub fn ratio_interval(ratios: &[f64], processes: usize) -> Interval {
    let logs: Vec<f64> = ratios.iter().map(|ratio| ratio.ln()).collect();
    let Interval { estimate, low, high } = median_interval(&logs, processes);
    Interval { estimate: estimate.exp(), low: low.exp(), high: high.exp() }
}

/// A part of the visits that behave alike.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Regime {
    /// The share of the visits, 0 to 1.
    pub share: f64,
    /// The median of these visits, with its interval.
    pub interval: Interval,
}

/// How far apart the medians of two regimes lie at least.
const REGIME_GAP: f64 = 1.3;

/// What share of the visits the smaller regime has at least.
const REGIME_SHARE: f64 = 0.08;

/// How many visits each regime has at least, strays left out: of two or three nobody can tell that
/// they belong together.
const REGIME_VISITS: usize = 4;

/// What share of the visits may lie in the middle between two regimes.
const STRAYS: f64 = 0.05;

/// Two regimes, the larger first, if the points fall into two: split where the spread within both
/// parts is least (Otsu 1979, in logarithms), with medians at least 30 % apart and next to nothing in
/// the middle two fifths between them. One outlier is no regime, and a few strays do not hide one.
pub fn two_regimes(points: &[f64]) -> Option<[Regime; 2]> {
    let mut sorted = points.to_vec();
    sorted.sort_by(f64::total_cmp);
    let least = ((sorted.len() as f64 * REGIME_SHARE).ceil() as usize).max(REGIME_VISITS);
    if sorted.len() < 3 * least || sorted[0] <= 0.0 {
        return None;
    }
    let logs: Vec<f64> = sorted.iter().map(|point| point.ln()).collect();
    // Where the spread within both parts is least, that between their means is largest, which takes one
    // pass.
    let all: f64 = logs.iter().sum();
    let sums = logs.iter().scan(0.0, |sum, log| {
        *sum += log;
        Some(*sum)
    });
    let between = |(at, below): (usize, f64)| {
        let (lower, upper) = (at as f64, (logs.len() - at) as f64);
        (at, lower * upper * (below / lower - (all - below) / upper).powi(2))
    };
    let parts = (1..).zip(sums).take(logs.len() - least).skip(least - 1).map(between);
    let (split, _) = parts.max_by(|(_, a), (_, b)| a.total_cmp(b))?;
    let (low, high) = (median_of_sorted(&logs[..split]), median_of_sorted(&logs[split..]));
    let gap = high - low;
    // Points of either part that lie in the middle, or beyond it on the other part's side.
    let astray_low = logs[..split].iter().filter(|log| **log > low + 0.3 * gap).count();
    let astray_high = logs[split..].iter().filter(|log| **log < high - 0.3 * gap).count();
    let strays = astray_low + astray_high;
    let certain = (split - astray_low).min(logs.len() - split - astray_high);
    if certain < REGIME_VISITS {
        return None;
    }
    if gap < REGIME_GAP.ln() || strays as f64 > STRAYS * logs.len() as f64 {
        return None;
    }
    let regime = |part: &[f64]| Regime {
        share: part.len() as f64 / sorted.len() as f64,
        interval: median_interval(part, 1),
    };
    let mut regimes = [regime(&sorted[..split]), regime(&sorted[split..])];
    if regimes[1].share > regimes[0].share {
        regimes.swap(0, 1);
    }
    Some(regimes)
}

/// The median of points with its interval, drawn by process first, then within each.
pub(crate) fn bootstrap(by_process: &[&[f64]]) -> Interval {
    // The same data give the same interval, on every machine.
    let mut rng = Rng::with_seed(0);
    // Sorted once, so that the median of each sample is found by counting.
    let mut sorted = by_process.concat();
    sorted.sort_by(f64::total_cmp);
    let rank = |point: &f64| sorted.partition_point(|other| other.total_cmp(point).is_lt());
    let ranks: Vec<Vec<usize>> =
        by_process.iter().map(|points| points.iter().map(rank).collect()).collect();
    let estimate = median_of_sorted(&sorted);
    let mut counts = vec![0; sorted.len()];
    let mut medians: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            counts.fill(0);
            for _ in &ranks {
                let rounds = &ranks[rng.usize(..ranks.len())];
                for _ in rounds {
                    counts[rounds[rng.usize(..rounds.len())]] += 1;
                }
            }
            median_of_counted(&sorted, &counts)
        })
        .collect();
    let mut quantile = |q: f64| {
        let place = (q * (RESAMPLES - 1) as f64).round() as usize;
        *medians.select_nth_unstable_by(place, f64::total_cmp).1
    };
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
    fn an_interval_ends_where_the_figure_does() {
        let within = |[low, estimate, high]: [f64; 3]| {
            let interval = Interval { estimate, low, high }.within(0.0, 1.0);
            [interval.low, interval.estimate, interval.high]
        };
        assert_eq!(within([-0.5, 0.5, 1.5]), [0.0, 0.5, 1.0]);
        assert_eq!(within([0.2, 0.5, 0.8]), [0.2, 0.5, 0.8]);
        // An estimate that cannot be stays.
        assert_eq!(within([0.9, 1.1, 1.3]), [0.9, 1.1, 1.1]);
        // So does one that can, where both ends lie on the same side of what can be.
        assert_eq!(within([-0.3, 0.0, -0.1]), [0.0, 0.0, 0.0]);
        assert_eq!(within([1.2, 1.0, 1.4]), [1.0, 1.0, 1.0]);
    }

    #[test]
    fn a_median_is_counted_as_if_each_value_stood_there() {
        let sorted = [1.0, 2.0, 4.0, 8.0];
        assert_eq!(median_of_counted(&sorted, &[1, 1, 1, 1]), median(&sorted));
        assert_eq!(median_of_counted(&sorted, &[0, 1, 0, 3]), median(&[2.0, 8.0, 8.0, 8.0]));
        assert_eq!(median_of_counted(&sorted, &[2, 0, 0, 2]), median(&[1.0, 1.0, 8.0, 8.0]));
        assert_eq!(median_of_counted(&sorted[1..], &[2, 0, 1]), median(&[2.0, 2.0, 8.0]));
    }

    fn paired(numerator: &[f64], denominator: &[f64], processes: usize, rounds: usize) -> Interval {
        let ratios = paired_ratios(numerator, denominator, processes, rounds).unwrap();
        ratio_interval(&ratios, processes)
    }

    #[test]
    fn drift_that_both_share_does_not_widen_a_paired_ratio() {
        let drifting: Vec<f64> = (0..15).map(|round| 100.0 + 10.0 * round as f64).collect();
        let twice: Vec<f64> = drifting.iter().map(|value| 2.0 * value).collect();
        let ratio = paired(&twice, &drifting, 3, 5);
        assert!((ratio.low - 2.0).abs() < 1e-9 && (ratio.high - 2.0).abs() < 1e-9, "{ratio:?}");
    }

    #[test]
    fn fewer_visits_are_spread_and_pair_with_their_own_rounds() {
        assert_eq!(rounds_visited(5, 5, 0), [0, 1, 2, 3, 4]);
        assert_eq!(rounds_visited(2, 5, 0), [0, 4]);
        assert_eq!(rounds_visited(2, 5, 1), [0, 1]);
        assert_eq!(rounds_visited(1, 10, 3), [3]);
        for (rounds, process) in (1..20).flat_map(|rounds| [(rounds, 0), (rounds, 3)]) {
            for visits in 1..rounds {
                let more = rounds_visited(visits + 1, rounds, process);
                let fewer = rounds_visited(visits, rounds, process);
                assert!(fewer.iter().all(|round| more.contains(round)));
            }
        }
        // 2 processes of 3 rounds; the other cell has rounds 0 and 2, then 0 and 1.
        let many = [10.0, 99.0, 30.0, 20.0, 50.0, 99.0];
        let few = [5.0, 15.0, 10.0, 25.0];
        assert_eq!(paired_ratios(&many, &few, 2, 3).unwrap(), [2.0; 4]);
        assert_eq!(paired_ratios(&few, &many, 2, 3).unwrap(), [0.5; 4]);
        let paired = [(10.0, 5.0), (30.0, 15.0), (20.0, 10.0), (50.0, 25.0)];
        assert_eq!(pairs(&many, &few, 2, 3), paired);
    }

    #[test]
    fn two_regimes_are_found_and_one_is_left_alone() {
        let one = [154.0, 171.0, 160.0, 158.0, 165.0, 155.0, 170.0, 163.0];
        assert_eq!(two_regimes(&one), None);
        let with_outlier = [&one[..], &[500.0]].concat();
        assert_eq!(two_regimes(&with_outlier), None);
        let two = [&one[..], &[489.0, 517.0, 495.0, 511.0]].concat();
        let [most, rest] = two_regimes(&two).unwrap();
        assert_eq!((most.share, rest.share), (8.0 / 12.0, 4.0 / 12.0));
        assert_eq!((most.interval.estimate, rest.interval.estimate), (161.5, 503.0));
        // Two or three visits are no regime, and neither are three with a stray.
        assert_eq!(two_regimes(&two[..11]), None);
        assert_eq!(two_regimes(&[&one[..], &one[..], &two[8..11], &[290.0]].concat()), None);
        // Spread evenly over a factor of three is one wide regime.
        let wide: Vec<f64> = (0..20).map(|step| 100.0 + 10.0 * step as f64).collect();
        assert_eq!(two_regimes(&wide), None);
        // So is a long tail.
        let tail: Vec<f64> = (1..80).map(|k| 100.0 - 40.0 * (k as f64 / 80.0).ln()).collect();
        assert_eq!(two_regimes(&tail), None);
    }

    #[test]
    fn a_few_strays_do_not_hide_two_regimes() {
        let mut points: Vec<f64> = (0..65).map(|k| 146.0 + 0.1 * k as f64).collect();
        points.extend((0..14).map(|k| 440.0 + 3.0 * k as f64));
        points.push(73.8);
        let [most, rest] = two_regimes(&points).unwrap();
        assert!((0.8..0.85).contains(&most.share) && most.interval.estimate < 155.0, "{most:?}");
        assert!(rest.interval.low > 430.0, "{rest:?}");
        points.push(250.0);
        assert!(two_regimes(&points).is_some());
    }

    #[test]
    fn noise_alone_seldom_looks_like_two_regimes() {
        let mut rng = fastrand::Rng::with_seed(7);
        // Sums of twelve uniform numbers: normal to within a hair, with a spread of 10 %.
        let mut normal = || 100.0 + 10.0 * ((0..12).map(|_| rng.f64()).sum::<f64>() - 6.0);
        let mut found = 0;
        for _ in 0..500 {
            let points: Vec<f64> = (0..15).map(|_| normal()).collect();
            found += usize::from(two_regimes(&points).is_some());
        }
        assert!(found <= 5, "{found} of 500");
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
        assert_eq!(paired_ratios(&[1.0, 1.0], &[1.0, 0.0], 1, 2), None);
        assert_eq!(paired_ratios(&[], &[], 1, 2), None);
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
            let ratio = paired(&a, &b, 3, 4);
            let inverse = paired(&b, &a, 3, 4);
            prop_assert!((ratio.estimate * inverse.estimate - 1.0).abs() < 1e-9);
        }
    }
}
