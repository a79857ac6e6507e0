//! Tests how numbers are formatted for people.

use measurement::number_format::{self, range, value, Dimension};
use measurement::{Interval, Unit};

const NS: Dimension = Dimension::Of(Unit::Nanoseconds);

#[test]
fn digits_and_scale_follow_the_interval() {
    for (estimate, low, high, dimension, expected) in [
        (442.3, 441.0, 443.0, NS, "442 ns (441 to 443 ns)"),
        (442.3, 300.0, 600.0, NS, "440 ns (300 to 600 ns)"),
        (60_912.0, 58_000.0, 62_000.0, NS, "60.9 µs (58.0 to 62.0 µs)"),
        (60_912.0, 40_000.0, 80_000.0, NS, "61 µs (40 to 80 µs)"),
        (1_020.0, 990.0, 1_050.0, NS, "1.02 µs (0.99 to 1.05 µs)"),
        (1.2345, 1.2344, 1.2346, Dimension::Count, "1.23 (1.23 to 1.23)"),
        (218.7, 190.0, 250.0, Dimension::Count, "219 (190 to 250)"),
        (5_000.0, 1_000.0, 9_000.0, Dimension::Count, "5,000 (1,000 to 9,000)"),
        (0.0, 0.0, 0.0, Dimension::Count, "0 (0 to 0)"),
        (16.0, 16.0, 16.0, Dimension::Count, "16 (16 to 16)"),
        (1.5, 1.5, 1.5, Dimension::Count, "1.50 (1.50 to 1.50)"),
        (72.0, 72.0, 72.0, Dimension::Of(Unit::Bytes), "72 B (72 to 72 B)"),
        (0.0, 0.0, 0.3, Dimension::Count, "0 (0 to 0.30)"),
        (0.894, 0.88, 0.91, Dimension::of("share", Unit::One), "89.4 % (88.0 to 91.0 %)"),
        // The lower end of an interval isn't rounded down to zero.
        (130e3, 4_379.0, 200e3, NS, "130 µs (4 to 200 µs)"),
        (130e3, 0.0, 200e3, NS, "130 µs (0 to 200 µs)"),
        (2.7, -0.02, 7.7, NS, "2.7 ns (−0.02 to 7.7 ns)"),
        // A negative figure has a minus sign, and its digits are grouped like others.
        (-1234e3, -1300e3, -1200e3, Dimension::Count, "−1,230,000 (−1,300,000 to −1,200,000)"),
        // An interval from nearly zero is too wide for the figure to be known.
        (3e4, 1.0, 1e6, NS, "— (not known within a factor of 1,000)"),
        (3e4, 1e3, 1e6, NS, "30 µs (1 to 1,000 µs)"),
        (3e4, 0.0, 1e6, NS, "30 µs (0 to 1,000 µs)"),
    ] {
        let interval = Interval { estimate, low, high };
        let (told, range) =
            (number_format::estimate(interval, dimension), range(interval, dimension));
        assert_eq!(format!("{told} ({range})"), expected);
    }
}

#[test]
fn what_is_computed_without_chance_has_no_width() {
    let has_width = |low, high| number_format::has_width(Interval { estimate: 1.58, low, high });
    assert!(!has_width(1.58, 1.58) && !has_width(1.58 - 1e-15, 1.58 + 1e-15));
    assert!(has_width(1.579, 1.581));
}

#[test]
fn published_figures_keep_their_digits() {
    for (figure, dimension, expected) in [
        (0.42e6, NS, "420 µs"),
        (14.24e6, NS, "14.24 ms"),
        (0.4 * 1024.0, Dimension::Of(Unit::Bytes), "409.6 B"),
        (284_000.0, Dimension::Of(Unit::PerSecond), "284,000 /s"),
        (15.0, Dimension::Count, "15"),
    ] {
        assert_eq!(value(figure, dimension), expected);
    }
}
