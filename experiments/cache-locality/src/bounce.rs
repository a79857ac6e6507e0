//! Experiment `bounce`: a cache line goes back and forth between two cores,
//! for each pair of cores.

use std::sync::Arc;

use harness::{room_for_cores, Body, Cell, Experiment, Placement};

use crate::listings::moved::turn::Turn;

const TRIPS: u64 = 1_000;

/// The maximum number of cores for which all pairs are measured. Beyond it,
/// only pairs that include the first core are measured.
const ALL_PAIRS: usize = 8;

pub(crate) fn experiment() -> Experiment {
    let cores = host::cores::usable().map_or(1, |cores| cores.len()).max(2);
    let cells = pairs(cores).map(|pair| cell(pair, cores));
    Experiment::new("bounce", "time per round trip", "line").cells(cells)
}

/// Returns the pairs of cores to measure, as indexes into the list of usable
/// cores.
fn pairs(cores: usize) -> impl Iterator<Item = (usize, usize)> {
    let firsts = if cores > ALL_PAIRS { 1 } else { cores };
    let with = move |first| (first + 1..cores).map(move |other| (first, other));
    (0..firsts).flat_map(with)
}

/// Creates a benchmark with a thread on every core, two of which pass the
/// cache line back and forth.
fn cell((first, second): (usize, usize), cores: usize) -> Cell {
    let body = Body::together(cores, true, move || {
        let turn = Arc::new(Turn::default());
        let taken = Arc::clone(&turn);
        let work = move |place| {
            let turns = 0..2 * TRIPS;
            if place == first {
                let sum = taken.take(turns, 0, || 1);
                // Waits until the cache line has come back for the last time.
                taken.wait_for(2 * TRIPS);
                sum
            } else if place == second {
                taken.take(turns, 1, || 1)
            } else {
                0
            }
        };
        let finish = move |sum| {
            turn.reset();
            sum
        };
        (work, finish)
    });
    Cell::new("line", 2 * TRIPS, body)
        .per(TRIPS)
        .parameter("from_core", first as i64)
        .parameter("to_core", second as i64)
        .placement(Placement::Neighbours)
        .needs(move || room_for_cores(cores))
        .group("pairs")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_cores_are_tried_in_all_pairs_and_many_with_the_first() {
        let of = |cores| pairs(cores).collect::<Vec<_>>();
        assert_eq!(of(2), [(0, 1)]);
        assert_eq!(of(3), [(0, 1), (0, 2), (1, 2)]);
        assert_eq!(of(9).len(), 8);
    }
}
