//! Histograms as text.

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

proptest::proptest! {
    #[test]
    fn text_keeps_every_bucket(
        buckets in proptest::collection::btree_map(0_u64..1 << 60, 1_u64..1000, 1..50),
    ) {
        let latencies = Latencies::of(buckets).unwrap();
        proptest::prop_assert_eq!(latencies.to_string().parse(), Ok(latencies));
    }
}
