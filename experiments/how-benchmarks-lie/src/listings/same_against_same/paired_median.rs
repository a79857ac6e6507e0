//! The median of the ratios of all rounds: anything that slows a whole round
//! cancels out.

/// Returns how many times as long `one` takes as `other`, from visits of the
/// same rounds.
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
