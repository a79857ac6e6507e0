//! A line through the memory of several processes, with different numbers of
//! threads, tasks or connections.

/// The number of points of a line: processes whose numbers of threads, tasks
/// or connections are at equal distances.
pub(crate) const COUNTS: u64 = 5;

/// Measures one to five times `step` units, that is, threads, tasks or
/// connections, each number in a separate process. The slope of the line is
/// what one more unit adds; the constant part, mostly the program itself,
/// drops out.
///
/// # Errors
///
/// If one of the processes fails.
pub(crate) fn points(
    step: u64,
    bytes: impl Fn(u64) -> Result<u64, String>,
) -> Result<Vec<(f64, f64)>, String> {
    let counts = (1..=COUNTS).map(|times| times * step);
    let point = |count| Ok((count as f64, bytes(count)? as f64));
    counts.map(point).collect()
}
