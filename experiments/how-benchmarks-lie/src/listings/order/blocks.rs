//! The wrong order: all measurements of one program, then all of the other.

/// Returns the order of `visits` measurements of each program: 0 for one
/// program, 1 for the other.
pub fn blocks(visits: usize) -> Vec<usize> {
    [vec![0; visits], vec![1; visits]].concat()
}
