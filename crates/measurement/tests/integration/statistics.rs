//! Medians and their intervals.

use measurement::statistics::{median, median_interval, median_of_counted};
use measurement::Interval;
use proptest::prelude::*;

#[test]
fn an_interval_ends_where_the_figure_does() {
    for (of, [least, most]) in [
        ([-0.5, 0.5, 1.5], [0.0, 1.0]),
        ([0.2, 0.5, 0.8], [0.2, 0.8]),
        // An estimate that cannot be stays.
        ([0.9, 1.1, 1.3], [0.9, 1.1]),
        // So does one that can, where both ends lie on the same side of what can be.
        ([-0.3, 0.0, -0.1], [0.0, 0.0]),
        ([1.2, 1.0, 1.4], [1.0, 1.0]),
    ] {
        let [low, estimate, high] = of;
        let Interval { low, high, .. } = Interval { estimate, low, high }.within(0.0, 1.0);
        assert_eq!([low, high], [least, most], "{of:?}");
    }
}

#[test]
fn processes_that_disagree_widen_the_interval() {
    let width = |points: &[f64]| {
        let interval = median_interval(points, 3);
        interval.high - interval.low
    };
    assert_eq!(width(&[1.0, 2.0, 3.0].repeat(30)), 0.0);
    assert_eq!(width(&[[1.0; 30], [2.0; 30], [3.0; 30]].concat()), 2.0);
}

proptest! {
    #[test]
    fn a_median_is_counted_as_if_each_value_stood_there(counts in proptest::array::uniform5(0..4_usize)) {
        let sorted = [1.0, 2.0, 4.0, 8.0, 16.0];
        let each = sorted.iter().zip(counts).flat_map(|(value, count)| vec![*value; count]);
        let each: Vec<f64> = each.collect();
        prop_assume!(!each.is_empty());
        let halves = (each[(each.len() - 1) / 2] + each[each.len() / 2]) / 2.0;
        let reversed: Vec<f64> = each.into_iter().rev().collect();
        prop_assert_eq!([median_of_counted(&sorted, &counts), median(&reversed)], [halves; 2]);
    }

    #[test]
    fn an_interval_holds_its_estimate_and_stays_within_the_points(
        points in proptest::collection::vec(0.0..1e9f64, 6..60),
    ) {
        let Interval { estimate, low, high } = median_interval(&points, 1);
        let min = points.iter().copied().fold(f64::INFINITY, f64::min);
        let max = points.iter().copied().fold(0.0, f64::max);
        prop_assert!(min <= low && low <= estimate && estimate <= high && high <= max);
    }
}
