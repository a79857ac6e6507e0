//! The shuffled order: rounds of both programs, each in a new random order.

/// Returns the order of the visits: 0 for one program, 1 for the other.
pub fn shuffled(visits: usize) -> Vec<usize> {
    let round = |_| {
        let mut turns = [0, 1];
        fastrand::shuffle(&mut turns);
        turns
    };
    (0..visits).flat_map(round).collect()
}
