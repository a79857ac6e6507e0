//! The noise floor: identical contenders, visited in every run like any other cell.

use std::collections::BTreeMap;

use measurement::statistics::paired_ratio;

use crate::body::Body;
use crate::chapter::{Cell, Experiment};

/// The classes of kernel. Each is an experiment of two contenders that are the same program.
const CLASSES: [&str; 2] = ["single-thread", "multi-thread"];

/// The experiments whose contenders are identical.
pub(crate) fn experiments() -> Vec<Experiment> {
    CLASSES
        .into_iter()
        .map(|class| {
            let twin = |name| Cell::new(name, answer(class), body(class));
            Experiment::new(class, "time per operation", "one")
                .cell(twin("one"))
                .cell(twin("the other"))
        })
        .collect()
}

const STEPS: u64 = 1_000;
const TASKS: u64 = 100;

fn body(class: &str) -> Body {
    match class {
        "single-thread" => Body::here(|| || chain(STEPS)),
        _ => Body::tokio_worker(|| async {
            let tasks: Vec<_> =
                (0..TASKS).map(|id| tokio::spawn(async move { id })).collect();
            let mut sum = 0;
            for task in tasks {
                sum += task.await.expect("the task returns a number");
            }
            sum
        }),
    }
}

fn answer(class: &str) -> u64 {
    match class {
        "single-thread" => chain(STEPS),
        _ => TASKS * (TASKS - 1) / 2,
    }
}

/// Arithmetic, each step of which waits for the last (xorshift64).
fn chain(steps: u64) -> u64 {
    (0..std::hint::black_box(steps)).fold(1, |mut x, _| {
        x ^= x << 13;
        x ^= x >> 7;
        x ^ (x << 17)
    })
}

/// By how much the twins of each class differed, as a share of 1: the end of their ratio's interval
/// that lies farther from 1. A class that failed has no floor.
pub(crate) fn floors(
    points: impl Fn(&str, &str) -> Option<Vec<f64>>,
    processes: usize,
) -> BTreeMap<String, f64> {
    let floor = |class: &str| {
        let ratio = paired_ratio(
            &points(class, "one")?,
            &points(class, "the other")?,
            processes,
        )?;
        let share = (ratio.high - 1.0).max(1.0 / ratio.low - 1.0);
        Some((share * 1e4).ceil() / 1e4)
    };
    CLASSES
        .into_iter()
        .filter_map(|class| Some((class.to_owned(), floor(class)?)))
        .collect()
}
