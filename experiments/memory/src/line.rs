//! A line fitted to the memory of several processes with different numbers of
//! threads, tasks or connections.

/// The number of processes through which a line is fitted. Their numbers of
/// threads, tasks or connections are evenly spaced.
pub(crate) const COUNTS: u64 = 5;

/// Measures `step` units (threads, tasks or connections), then two to five
/// times as many, each number in a separate process. The slope of the line is
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
