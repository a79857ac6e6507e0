//! Groups of benchmarks that are compared with each other. Their measurements
//! are therefore interleaved.

use std::collections::BTreeMap;

use crate::candidate::Candidate;

/// A group: the index of each member among the candidates, with the rounds in
/// which it is measured.
pub(crate) type Group = Vec<(usize, Vec<usize>)>;

/// Divides the candidates into groups, for a run of `rounds` rounds. The
/// groups are in no particular order.
pub(crate) fn groups(
    candidates: &[Candidate<'_>],
    rounds: usize,
) -> Vec<Group> {
    let mut groups: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (place, of) in candidates.iter().enumerate() {
        groups.entry((&of.experiment.name, &of.group)).or_default().push(place);
    }
    // Each group's selection of rounds starts at a different offset.
    // Otherwise, all sweeps would be measured within the same short period.
    let group = |(offset, places): (usize, Vec<usize>)| {
        let due =
            |place: usize| spread(candidates[place].rounds, rounds, offset);
        places.into_iter().map(|place| (place, due(place))).collect()
    };
    groups.into_values().enumerate().map(group).collect()
}

/// Chooses `visited` out of `rounds` rounds, spread as evenly as possible. A
/// smaller `visited` gives a subset of the rounds of a larger one.
fn spread(visited: usize, rounds: usize, offset: usize) -> Vec<usize> {
    // Sorts the rounds by their numbers with the binary digits reversed. For
    // five rounds, this gives 0, 4, 2, 1, 3.
    let mut order: Vec<usize> = (0..rounds).collect();
    order.sort_by_key(|round| round.reverse_bits());
    order.truncate(visited);
    order.into_iter().map(|round| (round + offset) % rounds).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewer_visits_are_spread_and_a_part_of_more() {
        assert_eq!(spread(3, 10, 1), [1, 9, 5]);
        for (rounds, offset) in [(1, 0), (6, 2), (10, 7)] {
            for visited in 1..rounds {
                let more = spread(visited + 1, rounds, offset);
                let fewer = spread(visited, rounds, offset);
                assert!(fewer.iter().all(|round| more.contains(round)));
            }
        }
    }
}
