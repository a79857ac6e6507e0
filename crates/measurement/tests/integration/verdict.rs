//! Predicates, and what decides them.

use measurement::{Estimate, Interval, Mode, Order, Predicate, Scattered, Test};

fn interval(low: f64, high: f64) -> Interval {
    Interval { estimate: (low + high) / 2.0, low, high }
}

fn judge(predicate: &str, test: Test, found: &Estimate) -> &'static str {
    predicate.parse::<Predicate>().unwrap().judge(test, found).word()
}

fn found(low: f64, high: f64) -> Estimate {
    let interval = interval(low, high);
    Estimate { mean: Some(interval), ..Estimate::of(interval) }
}

#[test]
fn a_verdict_needs_the_whole_interval() {
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
        // What is equal is neither more nor less.
        ("above 1", 1.0, 1.0, "fails"),
        ("below 1", 1.0, 1.0, "fails"),
        ("above 1", 1.0, 2.0, "undecided"),
        ("between 1 and 4", 1.0, 2.0, "undecided"),
        ("above 10", 11.0, f64::INFINITY, "holds"),
    ] {
        assert_eq!(judge(predicate, Test::Mean, &found(low, high)), verdict, "{predicate}");
    }
    let alone = Estimate::of(interval(11.0, 12.0));
    assert_eq!(judge("above 10", Test::Mean, &alone), "one run");
    for (other, verdict) in [(20.0, "holds"), (5.0, "depends")] {
        let mode = |at: f64| Mode { share: 0.5, interval: interval(at, at) };
        let scattered = Some(Scattered::Modes([mode(11.5), mode(other)]));
        let found = Estimate { scattered, ..found(11.0, 12.0) };
        assert_eq!(judge("above 10", Test::Mean, &found), verdict);
    }
}

#[test]
fn five_runs_that_agree_decide_or_three_that_are_separated() {
    for (runs, least, most, verdict, said) in [
        (&[1.5; 5][..], 0.5, 3.0, "holds", Some(true)),
        (&[1.5; 4], 0.5, 3.0, "undecided", Some(true)),
        (&[1.5, 1.5, 1.5, 1.5, 0.9], 0.5, 3.0, "undecided", None),
        (&[1.5; 3], 1.01, 3.0, "holds", Some(true)),
        (&[0.7; 2], 0.5, 0.99, "undecided", Some(false)),
        (&[0.7; 3], 0.5, 0.99, "fails", Some(false)),
        // Nobody acts on 5 %.
        (&[1.05; 5], 1.01, 1.08, "undecided", None),
    ] {
        let mean = Some(Interval { estimate: runs[0], low: 0.1, high: 100.0 });
        let order = Order { runs: runs.to_vec(), least, most };
        let found = Estimate { mean, order, ..found(0.1, 100.0) };
        assert_eq!(judge("above 1", Test::Order, &found), verdict, "{runs:?}");
        assert_eq!(Predicate::Above(1.0).said_by_all_runs(&found), said, "{runs:?}");
    }
}

#[test]
fn a_predicate_knows_its_test_and_how_wide_it_is() {
    let order = |is_ratio, quantity| (is_ratio, quantity, Test::Order);
    let mean = |is_ratio, quantity| (is_ratio, quantity, Test::Mean);
    for (predicate, (is_ratio, quantity, test), widest) in [
        // Mere directions, and tails.
        ("above 1", order(true, "time per unit"), f64::INFINITY),
        ("above 2", order(true, "latency p99"), f64::INFINITY),
        ("below 1000000", order(false, "latency max"), f64::INFINITY),
        ("above 1", mean(false, "moves per message"), f64::INFINITY),
        ("above 2", mean(true, "latency p50"), f64::INFINITY),
        ("within 5 %", mean(true, "latency p99"), 1.05 * 1.05),
        ("between -1 and 1", mean(true, "time per unit"), 3.0),
    ] {
        let predicate: Predicate = predicate.parse().unwrap();
        assert_eq!(predicate.test(is_ratio, quantity), test, "{predicate}, {quantity}");
        // Wherever the interval lies.
        let is_narrower = |low, width| predicate.is_narrower_than(interval(low, low * width));
        assert_eq!(is_narrower(1.0, widest + 0.01), widest.is_finite(), "{predicate}");
        assert!(!is_narrower(1.0, widest.min(100.0) - 0.01), "{predicate}");
    }
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
