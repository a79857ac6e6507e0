//! The mirrored order: rounds of both programs, with the order reversed in
//! every second round.

/// Returns the order of the visits: 0 for one program, 1 for the other.
pub fn mirrored(visits: usize) -> Vec<usize> {
    [[0, 1], [1, 0]].into_iter().cycle().take(visits).flatten().collect()
}
