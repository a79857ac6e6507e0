//! The shuffled order: each round measures both programs, in a new random
//! order.

/// Returns the order in which to measure two programs, `visits` times each.
/// The programs are numbered 0 and 1.
pub fn shuffled(visits: usize) -> Vec<usize> {
    let round = |_| {
        let mut turns = [0, 1];
        fastrand::shuffle(&mut turns);
        turns
    };
    (0..visits).flat_map(round).collect()
}
