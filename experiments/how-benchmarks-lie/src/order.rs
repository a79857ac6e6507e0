//! Experiment `order`: by how much do identical programs differ, visited in one
//! order or another?

use std::time::Duration;

use harness::{Cell, Experiment, Kernel, Plan, Visited};
use measurement::statistics::median;
use measurement::{Profile, Source};

pub mod blocks;
pub mod mirrored;
pub mod shuffled;
pub mod verdict;

/// Whose turn it is, for so many visits of each.
type Order = fn(usize) -> Vec<usize>;

const ORDERS: [(&str, Order); 3] = [
    ("blocks", blocks::blocks),
    ("mirrored", mirrored::mirrored),
    ("shuffled", shuffled::shuffled),
];

/// The others take longer than a quick run may.
const QUICK_KERNELS: [Kernel; 2] = [Kernel::SingleThread, Kernel::MultiThread];

/// A debug build only tests that it works.
const IS_TEST: bool = cfg!(debug_assertions);

/// Comparisons in a reading.
const COMPARISONS: usize = if IS_TEST { 1 } else { 6 };

/// Visits of either program in a comparison: the more, the longer is a block.
const FEW_VISITS: usize = 6;
const MANY_VISITS: usize = 30;

pub(crate) fn experiment() -> Experiment {
    let few = Kernel::ALL.map(|kernel| (kernel, FEW_VISITS));
    let many = QUICK_KERNELS.map(|kernel| (kernel, MANY_VISITS));
    let settings = few.into_iter().chain(many);
    let cells = settings.flat_map(|(kernel, visits)| {
        ORDERS.map(|(name, order)| {
            let cell = cell(kernel, visits, name, order);
            match visits == FEW_VISITS && QUICK_KERNELS.contains(&kernel) {
                true => cell,
                false => cell.full_only(),
            }
        })
    });
    Experiment::new("order", "ratio", "shuffled").cells(cells)
}

fn cell(kernel: Kernel, visits: usize, name: &str, order: Order) -> Cell {
    let take = move || compare(kernel, visits, order);
    Cell::readings(name, Source::Harness, &["ratio", "share"], take)
        .parameter("kernel", kernel.name())
        .parameter("visits", visits as i64)
}

/// Compares a kernel with itself, several times: the largest ratio, and the share
/// of comparisons that called it different from itself.
fn compare(
    kernel: Kernel,
    visits: usize,
    order: Order,
) -> Result<Vec<f64>, String> {
    let visits = if IS_TEST { 2 } else { visits };
    let start = || Visited::new(&kernel.body(), kernel.answer(), &plan());
    let mut twins = [start()?, start()?];
    let (mut largest, mut different) = (1.0_f64, 0);
    for _ in 0..COMPARISONS {
        let mut times = [Vec::new(), Vec::new()];
        for turn in order(visits) {
            times[turn].push(twins[turn].visit()?);
        }
        let [one, other] = times;
        let ratio = median(&one) / median(&other);
        largest = largest.max(ratio).max(1.0 / ratio);
        different += usize::from(verdict::differ(&one, &other));
    }
    Ok(vec![largest, different as f64 / COMPARISONS as f64])
}

/// Short visits, so that there is time for many.
fn plan() -> Plan {
    Plan {
        warm_up: Duration::from_micros(500),
        sample: Duration::from_micros(300),
        ..Plan::new(Profile::Quick)
    }
}
