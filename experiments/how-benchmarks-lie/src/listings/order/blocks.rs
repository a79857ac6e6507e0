//! The wrong order: all measurements of one program, then all of the other.

/// Returns the order in which to measure two programs, `visits` times each.
/// The programs are numbered 0 and 1.
pub fn blocks(visits: usize) -> Vec<usize> {
    [vec![0; visits], vec![1; visits]].concat()
}
