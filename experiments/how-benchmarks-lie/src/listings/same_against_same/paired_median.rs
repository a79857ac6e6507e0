//! The median of the ratios of all rounds. A disturbance that slows both
//! programs in a round cancels out.

/// Returns the ratio of the two programs' times: `one` divided by `other`.
/// Both slices have one time per round.
pub fn median_of_ratios(one: &[f64], other: &[f64]) -> f64 {
    let ratio = |(one, other): (&f64, &f64)| (one / other).ln();
    let mut ratios: Vec<f64> = one.iter().zip(other).map(ratio).collect();
    ratios.sort_by(f64::total_cmp);
    let middle = ratios.len() / 2;
    let median = match ratios.len() % 2 {
        0 => (ratios[middle - 1] + ratios[middle]) / 2.0,
        _ => ratios[middle],
    };
    median.exp()
}
