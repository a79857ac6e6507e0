//! The mirrored order: each round measures both programs, and every second
//! round reverses the order.

/// Returns the order in which to measure two programs, `visits` times each.
/// The programs are numbered 0 and 1.
pub fn mirrored(visits: usize) -> Vec<usize> {
    [[0, 1], [1, 0]].into_iter().cycle().take(visits).flatten().collect()
}
