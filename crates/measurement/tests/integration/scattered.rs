//! Figures that hardly any visit comes near.

use measurement::Scattered;

/// The shares of the two modes and their medians, for an estimate that no visit comes near.
fn two_modes(visits: &[&[f64]]) -> Option<[(f64, f64); 2]> {
    match Scattered::of(&visits.concat(), 1.0).expect("there are visits enough") {
        Scattered::Modes(modes) => Some(modes.map(|mode| (mode.share, mode.interval.estimate))),
        Scattered::Range { .. } => None,
    }
}

#[test]
fn an_estimate_that_visits_come_near_stays() {
    let visits = [30.0, 31.0, 30.5, 30.2, 208.0, 270.0, 240.0, 220.0, 250.0, 215.0, 29.0, 30.1];
    assert_eq!(Scattered::of(&visits, 30.0), None);
    let Some(Scattered::Modes([most, rest])) = Scattered::of(&visits, 90.0) else { panic!() };
    assert_eq!((most.share, most.interval.estimate), (0.5, 30.15));
    assert_eq!([rest.interval.low, rest.interval.high], [208.0, 270.0]);
    // Of few visits nobody asks.
    assert_eq!(Scattered::of(&visits[1..], 90.0), None);
    // What has no modes has a range.
    let anywhere: Vec<f64> = (0..40).map(|step| 2_f64.powi(step)).collect();
    let range = Scattered::Range { low: 4.0, high: 2_f64.powi(37) };
    assert_eq!(Scattered::of(&anywhere, 1e20), Some(range));
}

#[test]
fn two_modes_are_found_and_one_is_left_alone() {
    let one: &[f64] = &[154.0, 171.0, 160.0, 158.0, 165.0, 155.0, 170.0, 163.0];
    let other: &[f64] = &[489.0, 517.0, 495.0, 511.0];
    let found = Some([(8.0 / 12.0, 161.5), (4.0 / 12.0, 503.0)]);
    assert_eq!(two_modes(&[one, other]), found);
    let steps = |count: u32, at: fn(f64) -> f64| -> Vec<f64> {
        (1..count).map(|step| at(f64::from(step))).collect()
    };
    let wide = steps(20, |step| 100.0 + 10.0 * step);
    let tail = steps(80, |step| 100.0 - 40.0 * (step / 80.0).ln());
    for (none, visits) in [
        ("one mode", &[one, one][..]),
        ("an outlier", &[one, one, &[500.0]]),
        ("three visits", &[one, &one[..1], &other[..3]]),
        ("three with a stray", &[one, one, &other[..3], &[290.0]]),
        ("spread evenly over a factor of three", &[&wide]),
        ("a long tail", &[&tail]),
    ] {
        assert_eq!(two_modes(visits), None, "{none}");
    }
    // A few strays do not hide two.
    let (low, high) = (steps(66, |k| 146.0 + 0.1 * k), steps(15, |k| 440.0 + 3.0 * k));
    let [most, rest] = two_modes(&[&low, &high, &[73.8, 250.0]]).unwrap();
    assert!((0.8..0.85).contains(&most.0) && most.1 < 155.0 && rest.1 > 430.0, "{most:?}");
}
