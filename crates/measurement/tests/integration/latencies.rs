//! Histograms as text.

use std::collections::BTreeMap;

use measurement::Latencies;

#[test]
fn what_is_no_histogram_is_refused() {
    for (text, why) in [
        ("5 0", "ascend"),
        ("5x0", "at least one"),
        ("1x2 1x18446744073709551615", "64-bit"),
        ("1 18446744073709551615", "is no bucket"),
        ("", "\"\" is no bucket"),
        ("5  7", "\"\" is no bucket"),
        ("5 ", "\"\" is no bucket"),
        ("x", "\"x\" is no bucket"),
        ("5 5x 7", "\"5x\" is no bucket"),
        ("-1", "is no bucket"),
        ("1.5", "is no bucket"),
        ("18446744073709551616", "is no bucket"),
        ("5 5x3x2", "\"5x3x2\" is no bucket"),
    ] {
        let refused = text.parse::<Latencies>().unwrap_err();
        assert!(refused.contains(why), "{text}: {refused}");
    }
    assert!(Latencies::together(&[]).unwrap_err().contains("at least one"));
    assert!(Latencies::of([(5, 1), (4, 1)]).unwrap_err().contains("ascend"));
}

#[test]
fn text_keeps_every_bucket() {
    let mut rng = fastrand::Rng::with_seed(1);
    for count in 1..100 {
        let bucket = |_| {
            let most = 1_u64 << rng.u32(1..60);
            (rng.u64(..most), rng.u64(1..1000))
        };
        let buckets: BTreeMap<u64, u64> = (0..count).map(bucket).collect();
        let latencies = Latencies::of(buckets).unwrap();
        assert_eq!(latencies.to_string().parse(), Ok(latencies));
    }
}
