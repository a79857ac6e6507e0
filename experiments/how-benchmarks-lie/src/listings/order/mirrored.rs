//! The mirrored order: rounds of both programs, every second one turned round.

/// Whose turn it is.
pub fn mirrored(visits: usize) -> Vec<usize> {
    [[0, 1], [1, 0]].into_iter().cycle().take(visits).flatten().collect()
}
