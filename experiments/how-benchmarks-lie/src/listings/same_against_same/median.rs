//! The ratio of the medians, which a single slow measurement doesn't change.

/// Returns the ratio of the two programs' times: `one` divided by `other`.
pub fn ratio_of_medians(one: &[f64], other: &[f64]) -> f64 {
    median(one.to_vec()) / median(other.to_vec())
}

fn median(mut visits: Vec<f64>) -> f64 {
    visits.sort_by(f64::total_cmp);
    let middle = visits.len() / 2;
    match visits.len() % 2 {
        0 => (visits[middle - 1] + visits[middle]) / 2.0,
        _ => visits[middle],
    }
}
