//! The mirrored order: each round measures both programs, and every second
//! round reverses the order.

/// Returns the order of `visits` measurements of each program: 0 for one
/// program, 1 for the other.
pub fn mirrored(visits: usize) -> Vec<usize> {
    [[0, 1], [1, 0]].into_iter().cycle().take(visits).flatten().collect()
}
