//! Experiment `cache-sizes`: how much memory fits into each cache. Grows the
//! working set in one process, finds the size from which a load takes longer,
//! and compares it with the size that the kernel reports.

use harness::{Cell, Experiment, Placement};
use measurement::Source;

use crate::ladder::{room_for, Ring, LARGEST, SMALLEST};
use crate::levels::levels;
use crate::listings::ladder::cycle::LINE;
use crate::pages::{Memory, Pages};

const BATCHES: usize = 16;

/// The working set in bytes up to which four sizes per doubling are measured.
/// Above it, one size per doubling is measured.
const DENSE: usize = 32 << 20;

/// One cache to measure: the number of its step in the curve of load times,
/// its name in the kernel, and the largest working set needed to see that
/// step.
struct Step {
    place: usize,
    reported: &'static str,
    climb: usize,
}

const STEPS: [Step; 3] = [
    Step { place: 1, reported: "L1d", climb: 1 << 20 },
    Step { place: 2, reported: "L2", climb: 32 << 20 },
    Step { place: 3, reported: "L3", climb: LARGEST },
];

/// The name of the contender whose sizes are reported by the kernel instead
/// of measured.
const REPORTED: &str = "reported";

pub(crate) fn experiment() -> Experiment {
    let cells = STEPS.iter().flat_map(|step| {
        let found = Pages::BOTH.map(|pages| found(pages, step));
        found.into_iter().chain([reported(step)])
    });
    Experiment::new("cache-sizes", "bytes per level", REPORTED).cells(cells)
}

fn cell(
    contender: &str,
    step: &Step,
    take: impl Fn() -> Result<f64, String> + 'static,
) -> Cell {
    let take = move || Ok(vec![take()?]);
    Cell::once(contender, Source::Harness, &["bytes per level"], take)
        .parameter("level", step.place as i64)
        .placement(Placement::OneCore)
        .group(&format!("level {}", step.place))
}

fn found(pages: Pages, step: &Step) -> Cell {
    let &Step { place, climb, .. } = step;
    let take = move || size_before_step(pages, climb, place);
    let cell = cell(pages.contender(), step, take)
        .infinite_means("the curve has fewer steps")
        .needs(move || room_for(climb))
        .needs(move || pages.can_be_had());
    let cell = if pages == Pages::Huge { cell.twinned() } else { cell };
    if climb == LARGEST {
        cell.full_only()
    } else {
        cell
    }
}

fn reported(step: &Step) -> Cell {
    let name = step.reported;
    let take = move || reported_bytes(name).map(|bytes| bytes as f64);
    let cell = cell(REPORTED, step, take)
        .needs(move || reported_bytes(name).map(drop));
    if step.climb == LARGEST {
        cell.full_only()
    } else {
        cell
    }
}

/// Returns the largest working set before step number `place` of the curve,
/// in bytes, or infinity if there is no such step. Uses the lowest time at
/// each size, because other programs can only slow a load down.
fn size_before_step(
    pages: Pages,
    climb: usize,
    place: usize,
) -> Result<f64, String> {
    let mut memory = Memory::map(climb, pages)?;
    let mut ring = Ring::of(&mut memory);
    let mut lines = 0;
    let sizes: Vec<usize> =
        sizes().take_while(|&bytes| bytes <= climb).collect();
    let mut times = Vec::new();
    for bytes in &sizes {
        let grown = bytes / LINE;
        ring.grow(lines..grown)?;
        if lines == 0 {
            ring.warm_up();
        }
        lines = grown;
        let all = ring.times(BATCHES);
        times.push(all.into_iter().fold(f64::INFINITY, f64::min));
    }
    let begins = levels(&times);
    let last = begins.get(place).map(|begin| sizes[begin - 1] as f64);
    Ok(last.unwrap_or(f64::INFINITY))
}

/// Returns the working sets to measure in bytes: 4, 5, 6, 7, 8, 10 KiB and so
/// on up to [`DENSE`], then doublings.
fn sizes() -> impl Iterator<Item = usize> {
    let doubled = |bytes: &usize| Some(2 * bytes);
    std::iter::successors(Some(SMALLEST), doubled).flat_map(|bytes| {
        let steps = if bytes < DENSE { 4 } else { 1 };
        (0..steps).map(move |step| bytes + step * bytes / 4)
    })
}

/// Returns the size that the kernel reports for the cache `name`.
///
/// # Errors
///
/// If the kernel reports no such cache.
fn reported_bytes(name: &str) -> Result<u64, String> {
    let caches = host::machine::describe("here").caches;
    let told = caches.get(name).and_then(|size| bytes(size));
    told.ok_or_else(|| format!("the kernel tells of no {name}"))
}

/// Parses a size as the kernel writes it, such as `48K` or `1M`.
fn bytes(size: &str) -> Option<u64> {
    let scale = match size.as_bytes().last()? {
        b'K' => 10,
        b'M' => 20,
        _ => return None,
    };
    let count: u64 = size[..size.len() - 1].parse().ok()?;
    Some(count << scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_double_in_four_steps_and_then_in_one() {
        let first: Vec<_> = sizes().take(6).map(|size| size >> 10).collect();
        assert_eq!(first, [4, 5, 6, 7, 8, 10]);
        let last: Vec<_> = sizes()
            .map(|size| size >> 20)
            .skip_while(|&size| size < 16)
            .take_while(|&size| size <= 512)
            .collect();
        assert_eq!(last, [16, 20, 24, 28, 32, 64, 128, 256, 512]);
    }

    #[test]
    fn sizes_are_read_in_the_kernels_words() {
        assert_eq!(bytes("48K"), Some(48 << 10));
        assert_eq!(bytes("2M"), Some(2 << 20));
        assert_eq!(bytes("512"), None);
        assert_eq!(bytes(""), None);
    }
}
