//! Tests the comparison of a new figure with an interval.

use measurement::{Interval, Tried};

#[test]
fn the_distance_is_counted_in_halves_of_the_width() {
    let interval = |low, high| Interval { estimate: 10.0, low, high };
    for (expected, found, off) in [
        (interval(9.0, 12.0), 10.0, 0.0),
        (interval(9.0, 12.0), 9.5, 0.5),
        (interval(9.0, 12.0), 11.0, 0.5),
        (interval(9.0, 12.0), 12.0, 1.0),
        // An interval of zero width contains only its own figure.
        (interval(10.0, 10.0), 10.0, 0.0),
        (interval(10.0, 10.0), 10.1, f64::INFINITY),
    ] {
        assert_eq!(Tried::of(expected, found).off, off, "{expected:?}, {found}");
    }
    assert_eq!(Tried::of(interval(9.0, 12.0), 10.0).half_width, 0.15);
}
