//! The right summary: splits the batches at their mean, and summarises each
//! group.

/// The two groups of batches: those that took less time than the mean of all,
/// and the others.
#[derive(Debug, PartialEq)]
pub struct Modes {
    /// The median time of the batches below the mean.
    pub lower: f64,
    /// The median time of the batches at or above the mean.
    pub upper: f64,
    /// The share of batches within 10 % of the mean. The mean doesn't
    /// describe the other batches.
    pub near: f64,
}

/// Splits the batches at their mean. Returns `None` if one side is empty.
pub fn modes(batches: &[f64], mean: f64) -> Option<Modes> {
    let mut sorted = batches.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (below, above) =
        sorted.split_at(sorted.partition_point(|batch| *batch < mean));
    let near = sorted.iter().filter(|batch| (*batch / mean - 1.0).abs() < 0.1);
    Some(Modes {
        lower: *below.get(below.len() / 2)?,
        upper: *above.get(above.len() / 2)?,
        near: near.count() as f64 / sorted.len() as f64,
    })
}
