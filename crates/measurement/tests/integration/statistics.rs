//! Tests medians and their intervals.

use fastrand::Rng;
use measurement::statistics::{median, median_interval};
use measurement::Interval;

#[test]
fn an_interval_ends_where_the_figure_does() {
    for (of, [least, most]) in [
        ([-0.5, 0.5, 1.5], [0.0, 1.0]),
        ([0.2, 0.5, 0.8], [0.2, 0.8]),
        // An estimate outside the possible range is kept.
        ([0.9, 1.1, 1.3], [0.9, 1.1]),
        // An estimate inside the possible range is kept, even if both ends of the interval are on
        // one side of the range.
        ([-0.3, 0.0, -0.1], [0.0, 0.0]),
        ([1.2, 1.0, 1.4], [1.0, 1.0]),
    ] {
        let [low, estimate, high] = of;
        let Interval { low, high, .. } = Interval { estimate, low, high }.within(0.0, 1.0);
        assert_eq!([low, high], [least, most], "{of:?}");
    }
}

#[test]
fn a_median_is_the_middle() {
    for (values, middle) in [
        (&[3.0][..], 3.0),
        (&[4.0, 1.0], 2.5),
        (&[9.0, 1.0, 2.0], 2.0),
        (&[4.0, 1.0, 2.0, 8.0], 3.0),
    ] {
        assert_eq!(median(values), middle);
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

#[test]
fn an_interval_holds_its_estimate_and_stays_within_the_points() {
    for seed in 0..200 {
        let mut rng = Rng::with_seed(seed);
        let points: Vec<f64> = (0..rng.usize(6..60)).map(|_| 1e9 * rng.f64()).collect();
        let Interval { estimate, low, high } = median_interval(&points, 1);
        let ordered = [0.0, low, estimate, high].is_sorted();
        assert!(
            ordered && points.iter().any(|of| *of <= low) && points.iter().any(|of| *of >= high)
        );
    }
}
