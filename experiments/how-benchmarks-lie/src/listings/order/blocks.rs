//! The wrong order: all visits of one program, then all of the other.

/// Whose turn it is.
pub fn blocks(visits: usize) -> Vec<usize> {
    [vec![0; visits], vec![1; visits]].concat()
}
