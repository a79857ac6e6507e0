//! When a probe is slowed.

use measurement::BestProbe;

#[test]
fn what_takes_much_longer_than_the_best_is_slowed() {
    let best = BestProbe::of([[10.0; 300].as_slice(), &[20.0; 100], &[1.0]].concat()).unwrap();
    assert_eq!([10.0, 11.4, 11.6].map(|probe| best.is_slowed(probe)), [false, false, true]);
    assert_eq!(BestProbe::of(Vec::new()), None);
}
