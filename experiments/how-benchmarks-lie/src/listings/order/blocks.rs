//! The wrong order: all visits of one program, then all visits of the other.

/// Returns the order of the visits: 0 for one program, 1 for the other.
pub fn blocks(visits: usize) -> Vec<usize> {
    [vec![0; visits], vec![1; visits]].concat()
}
