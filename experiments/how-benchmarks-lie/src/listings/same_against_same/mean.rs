//! The ratio of the means, which a single slow measurement changes.

/// Returns the ratio of the two programs' times: `one` divided by `other`.
pub fn ratio_of_means(one: &[f64], other: &[f64]) -> f64 {
    mean(one) / mean(other)
}

fn mean(visits: &[f64]) -> f64 {
    visits.iter().sum::<f64>() / visits.len() as f64
}
