//! A common rule for deciding whether two programs differ.

/// Returns whether the means of `one` and `other` are more than two standard
/// errors apart. With many independent measurements, this is true of one in
/// twenty pairs of identical programs.
pub fn differ(one: &[f64], other: &[f64]) -> bool {
    let ((one, one_error), (other, other_error)) = (mean(one), mean(other));
    (one - other).abs() > 2.0 * one_error.hypot(other_error)
}

/// Returns the mean of `visits` and its standard error.
fn mean(visits: &[f64]) -> (f64, f64) {
    let count = visits.len() as f64;
    let mean = visits.iter().sum::<f64>() / count;
    let squares: f64 = visits.iter().map(|visit| (visit - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0) / count).sqrt())
}
