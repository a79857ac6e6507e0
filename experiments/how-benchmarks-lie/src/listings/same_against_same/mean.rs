//! The ratio of the means: one slow visit moves it.

/// Returns how many times as long `one` takes as `other`.
pub fn ratio_of_means(one: &[f64], other: &[f64]) -> f64 {
    mean(one) / mean(other)
}

fn mean(visits: &[f64]) -> f64 {
    visits.iter().sum::<f64>() / visits.len() as f64
}
