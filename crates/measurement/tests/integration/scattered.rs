//! Tests the detection of estimates that are far from nearly all of the single measurements.

use measurement::Scattered;

#[test]
fn an_estimate_that_visits_come_near_stays() {
    let visits = [30.0, 31.0, 30.5, 30.2, 208.0, 270.0, 240.0, 220.0, 250.0, 215.0, 29.0, 30.1];
    assert_eq!(Scattered::of(&visits, 30.0), None);
    assert_eq!(Scattered::of(&visits, 90.0), Some(Scattered { low: 30.0, high: 250.0 }));
    // Too few values, or a value of zero: the check doesn't apply.
    assert_eq!(Scattered::of(&visits[1..], 90.0), None);
    assert_eq!(Scattered::of(&[&visits[..], &[0.0]].concat(), 90.0), None);
    let anywhere: Vec<f64> = (0..40).map(|step| 2_f64.powi(step)).collect();
    let range = Scattered { low: 4.0, high: 2_f64.powi(37) };
    assert_eq!(Scattered::of(&anywhere, 1e20), Some(range));
}
