//! The mirrored order: rounds of both programs, every second one turned round.

/// Returns the order of the visits: 0 for the one program, 1 for the other.
pub fn mirrored(visits: usize) -> Vec<usize> {
    [[0, 1], [1, 0]].into_iter().cycle().take(visits).flatten().collect()
}
