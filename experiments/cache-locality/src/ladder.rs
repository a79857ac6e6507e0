//! Experiment `ladder`: pointer chasing over working sets from a page to more
//! than any cache holds.

use std::ops::Range;
use std::time::{Duration, Instant};

use harness::{Cell, Experiment, Placement};
use host::how_many::{limits_on, Kind, UnitMemory};
use measurement::statistics::median;
use measurement::Source;

use crate::listings::ladder::cycle::{grow, next, walk, LINE};
use crate::pages::{Memory, Pages};

/// The smallest working set, in bytes. Each further working set is twice as
/// large as the one before.
pub(crate) const SMALLEST: usize = 4 << 10;

/// The largest working set, in bytes. It is small in an unoptimised build,
/// which only checks answers.
pub(crate) const LARGEST: usize =
    if cfg!(debug_assertions) { 8 << 20 } else { 512 << 20 };

const LARGEST_QUICK: usize = 64 << 20;

/// The number of loads in a batch, and the number of batches. Each batch is
/// timed as a whole.
const LOADS: usize = 1 << 14;
const BATCHES: usize = 32;

/// How long loads run before the measurement, because a core that was idle is
/// slower at first.
const WARM_UP: Duration = Duration::from_millis(10);

pub(crate) fn experiment() -> Experiment {
    let doubled = |bytes: &usize| Some(2 * bytes);
    let sizes = std::iter::successors(Some(SMALLEST), doubled)
        .take_while(|&bytes| bytes <= LARGEST);
    let cells =
        sizes.flat_map(|bytes| Pages::BOTH.map(|pages| cell(pages, bytes)));
    Experiment::new("ladder", "time per load", Pages::Small.contender())
        .cells(cells)
}

/// Creates a measurement that runs in a separate process, so that each
/// repetition uses different pages of memory.
fn cell(pages: Pages, bytes: usize) -> Cell {
    let quantities: &[&str] = match pages {
        Pages::Small => &["time per load", "time per load at its lowest"],
        Pages::Huge => {
            &["time per load", "time per load at its lowest", "share"]
        }
    };
    let take = move || rung(pages, bytes);
    let cell = Cell::once(pages.contender(), Source::Harness, quantities, take)
        .parameter("working_set_bytes", bytes as i64)
        .placement(Placement::OneCore)
        .needs(move || room_for(bytes))
        .needs(move || pages.can_be_had())
        .group("sizes");
    // Measures this size twice, because at this size two identical
    // measurements differed most.
    let cell = match (pages, bytes) {
        (Pages::Huge, 0x40_0000) => cell.twinned(),
        _ => cell,
    };
    let is_power_of_four = bytes.ilog2().is_multiple_of(2);
    if is_power_of_four && bytes <= LARGEST_QUICK {
        cell
    } else {
        cell.full_only()
    }
}

/// # Errors
///
/// If less than twice `bytes` of memory is available.
pub(crate) fn room_for(bytes: usize) -> Result<(), String> {
    let twice =
        UnitMemory { virtual_bytes: 0, resident_bytes: 2 * bytes as u64 };
    match limits_on(Kind::Tasks, twice).into_iter().find(|l| !l.allows(1)) {
        Some(limit) => Err(format!(
            "{} does not allow twice {bytes} bytes of memory",
            limit.name
        )),
        None => Ok(()),
    }
}

/// Measures one working set. Returns the median and the minimum of the
/// batches' times per load and, if huge pages are used, the share of memory
/// in huge pages.
fn rung(pages: Pages, bytes: usize) -> Result<Vec<f64>, String> {
    let mut memory = Memory::map(bytes, pages)?;
    let mut ring = Ring::of(&mut memory);
    ring.grow(0..bytes / LINE)?;
    ring.warm_up();
    let times = ring.times(BATCHES);
    let lowest = times.iter().copied().fold(f64::INFINITY, f64::min);
    let mut figures = vec![median(&times), lowest];
    if pages == Pages::Huge {
        figures.push(memory.huge_share()?);
    }
    Ok(figures)
}

/// A cycle of cache lines to load one after another, with the current
/// position.
pub(crate) struct Ring<'a> {
    memory: &'a mut [u8],
    at: usize,
}

impl<'a> Ring<'a> {
    pub(crate) fn of(memory: &'a mut [u8]) -> Ring<'a> {
        Ring { memory, at: 0 }
    }

    /// Adds `lines` to the cycle, then reads the whole cycle to fill the
    /// cache.
    ///
    /// # Errors
    ///
    /// If the lines don't form a cycle.
    pub(crate) fn grow(&mut self, lines: Range<usize>) -> Result<(), String> {
        let all = lines.end;
        grow(self.memory, lines, |below| fastrand::usize(..below));
        let nexts = (0..all).map(|line| next(self.memory, line * LINE));
        let (sum, expected) =
            (nexts.sum::<usize>(), all * (all - 1) / 2 * LINE);
        if sum == expected {
            Ok(())
        } else {
            Err(format!("{all} lines lead to {sum}, not to {expected}"))
        }
    }

    pub(crate) fn warm_up(&mut self) {
        let start = Instant::now();
        while start.elapsed() < WARM_UP {
            self.at = walk(self.memory, self.at, LOADS);
        }
    }

    /// Measures `batches` batches of loads. Returns the mean time per load of
    /// each batch, in nanoseconds.
    pub(crate) fn times(&mut self, batches: usize) -> Vec<f64> {
        let batch = |_| {
            let start = Instant::now();
            self.at = walk(self.memory, self.at, LOADS);
            start.elapsed().as_secs_f64() * 1e9 / LOADS as f64
        };
        (0..batches).map(batch).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_is_of_all_lines_however_it_has_grown() {
        let mut memory = vec![0; 300 * LINE];
        let mut ring = Ring::of(&mut memory);
        for lines in [0..1, 1..2, 2..200, 200..300] {
            let all = lines.end;
            ring.grow(lines).unwrap();
            let mut seen: Vec<_> =
                (0..all).map(|steps| walk(ring.memory, 0, steps)).collect();
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen.len(), all);
        }
    }
}
