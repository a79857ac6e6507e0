//! Tests the predicates of claims, and the intervals that decide them.

use measurement::{Estimate, Interval, Predicate};

fn interval(low: f64, high: f64) -> Interval {
    Interval { estimate: (low + high) / 2.0, low, high }
}

fn judge(predicate: &str, found: &Estimate) -> &'static str {
    predicate.parse::<Predicate>().unwrap().judge(found).word()
}

fn found(low: f64, high: f64) -> Estimate {
    let interval = interval(low, high);
    Estimate { mean: Some(interval), ..Estimate::of(interval) }
}

#[test]
fn a_verdict_needs_the_whole_interval_of_the_mean() {
    for (predicate, low, high, verdict) in [
        ("above 10", 11.0, 12.0, "holds"),
        ("above 10", 9.0, 12.0, "undecided"),
        ("above 10", 8.0, 9.0, "fails"),
        ("below 1,000", 8.0, 9.0, "holds"),
        ("between 2 and 4", 2.5, 3.0, "holds"),
        ("between 2 and 4", 1.0, 5.0, "undecided"),
        ("between 2 and 4", 5.0, 6.0, "fails"),
        ("within 5 %", 0.97, 1.04, "holds"),
        ("within 5 %", 0.90, 1.04, "undecided"),
        ("within 5 %", 0.80, 0.90, "fails"),
        // A value equal to the bound is neither above nor below it.
        ("above 1", 1.0, 1.0, "fails"),
        ("below 1", 1.0, 1.0, "fails"),
        ("above 1", 1.0, 2.0, "undecided"),
        ("between 1 and 4", 1.0, 2.0, "undecided"),
        ("above 10", 11.0, f64::INFINITY, "holds"),
    ] {
        assert_eq!(judge(predicate, &found(low, high)), verdict, "{predicate}");
    }
    let alone = Estimate::of(interval(11.0, 12.0));
    assert_eq!(judge("above 10", &alone), "one run");
    // Only the interval of the mean matters for the verdict, not the interval for the next run.
    let wide = Estimate { next: interval(9.0, 14.0), ..found(11.0, 12.0) };
    assert_eq!(judge("above 10", &wide), "holds");
}

#[test]
fn depth_is_the_distance_to_the_nearer_bound() {
    for (predicate, value, depth) in [
        ("above 10", 10.0 / 1_f64.exp(), -1.0),
        ("below 10", 10.0 / 1_f64.exp(), 1.0),
        ("between 1 and 100", 10.0, 10_f64.ln()),
        ("above 10", -3.0, -13.0),
    ] {
        let found = predicate.parse::<Predicate>().unwrap().depth(value);
        assert!((found - depth).abs() < 1e-6, "{predicate}: {found}");
    }
}

#[test]
fn what_is_no_predicate_is_refused() {
    for bad in [
        "",
        "above",
        "over 3",
        "above NaN",
        "above inf",
        "between 4 and 2",
        "within 5",
        "within 0 %",
    ] {
        assert!(bad.parse::<Predicate>().is_err(), "{bad}");
    }
}
