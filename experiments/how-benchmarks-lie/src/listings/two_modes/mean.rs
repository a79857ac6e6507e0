//! The wrong summary: a single number for all batches of round trips.

/// Returns the average time per batch.
pub fn mean(batches: &[f64]) -> f64 {
    batches.iter().sum::<f64>() / batches.len() as f64
}
