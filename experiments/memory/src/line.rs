//! A line through what processes take that have several counts of something.

/// How many counts there are, at equal distances.
pub(crate) const COUNTS: u64 = 5;

/// How much there is with one to five times `step` of something, each count in a
/// process of its own: mostly that of the program itself, so that what one more of
/// them adds is the slope of the line.
///
/// # Errors
///
/// If one of the processes does not tell.
pub(crate) fn points(
    step: u64,
    bytes: impl Fn(u64) -> Result<u64, String>,
) -> Result<Vec<(f64, f64)>, String> {
    let counts = (1..=COUNTS).map(|times| times * step);
    let point = |count| Ok((count as f64, bytes(count)? as f64));
    counts.map(point).collect()
}
