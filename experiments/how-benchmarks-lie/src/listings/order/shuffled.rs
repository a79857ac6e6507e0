//! The shuffled order: each round measures both programs, in a new random
//! order.

/// Returns the order of `visits` measurements of each program: 0 for one
/// program, 1 for the other.
pub fn shuffled(visits: usize) -> Vec<usize> {
    let round = |_| {
        let mut turns = [0, 1];
        fastrand::shuffle(&mut turns);
        turns
    };
    (0..visits).flat_map(round).collect()
}
