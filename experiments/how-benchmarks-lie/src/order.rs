//! Experiment `order`: how much do identical programs seem to differ,
//! depending on the order in which they are measured?

use std::time::Duration;

use harness::{Cell, Experiment, Plan, StudyProgram, Visited};
use measurement::statistics::median;
use measurement::{Profile, Source};

use crate::listings::order::{blocks, mirrored, shuffled, verdict};

/// Returns the order of measurements for a given number of measurements per
/// program.
type Sequence = fn(usize) -> Vec<usize>;

const SEQUENCES: [(&str, Sequence); 3] = [
    ("blocks", blocks::blocks),
    ("mirrored", mirrored::mirrored),
    ("shuffled", shuffled::shuffled),
];

/// The only program that a quick run measures, since the others take too
/// long.
const QUICK_KERNEL: StudyProgram = StudyProgram::MultiThread;

/// True in a debug build, which only checks that the experiment works, with
/// as few measurements as possible.
const IS_TEST: bool = cfg!(debug_assertions);

const COMPARISONS: usize = if IS_TEST { 1 } else { 12 };

/// The number of measurements of each program per comparison.
const VISITS: usize = if IS_TEST { 2 } else { 6 };

pub(crate) fn experiment() -> Experiment {
    let cells = StudyProgram::ALL.into_iter().flat_map(|kernel| {
        SEQUENCES.map(|(name, sequence)| {
            let cell = cell(kernel, name, sequence);
            if kernel == QUICK_KERNEL {
                cell
            } else {
                cell.full_only()
            }
        })
    });
    Experiment::new("order", "ratio", "shuffled").cells(cells)
}

fn cell(kernel: StudyProgram, name: &str, sequence: Sequence) -> Cell {
    let take = move || compare(kernel, sequence);
    Cell::readings(name, Source::Harness, &["ratio", "share"], take)
        .parameter("kernel", kernel.name())
}

/// Compares a program with itself several times. Returns the largest ratio of
/// times, and the share of comparisons in which the rule finds a difference.
fn compare(
    kernel: StudyProgram,
    sequence: Sequence,
) -> Result<Vec<f64>, String> {
    let start = || Visited::new(&kernel.body(), kernel.answer(), &plan());
    let mut twins = [start()?, start()?];
    let (mut largest, mut different) = (1.0_f64, 0);
    for _ in 0..COMPARISONS {
        let mut times = [Vec::new(), Vec::new()];
        for turn in sequence(VISITS) {
            times[turn].push(twins[turn].visit()?);
        }
        let [one, other] = times;
        let ratio = median(&one) / median(&other);
        largest = largest.max(ratio).max(1.0 / ratio);
        different += usize::from(verdict::differ(&one, &other));
    }
    Ok(vec![largest, different as f64 / COMPARISONS as f64])
}

/// Returns a plan with short measurements, so that there is time for many of
/// them.
fn plan() -> Plan {
    Plan {
        warm_up: Duration::from_micros(500),
        sample: Duration::from_micros(150),
        ..Plan::new(Profile::Quick)
    }
}
